const encoded = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;
const marked = /^=\?base64\?.*\?=$/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text that a header of MCP 2026-07-28 carries, plain or as `=?base64?...?=` of its UTF-8; undefined where that is malformed. */
export function decodedHeader(value: string): string | undefined {
  if (!marked.test(value)) return value;
  const [, base64] = encoded.exec(value) ?? [];
  if (base64 === undefined) return undefined;
  try {
    return utf8.decode(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}
