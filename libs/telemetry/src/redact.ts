const hidden = '***';

const tokens: readonly [pattern: RegExp, shown: string][] = [
  // JWS compact form (RFC 7515): a header and a payload that begin with `{"`.
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, hidden],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${hidden}`],
  [
    /\b(?:sk|pk|rk)[-_][\w-]{16,}|\bgh[pousr]_\w{16,}|\bgithub_pat_\w{16,}|\bxox[abeprs]-[\w-]{8,}|\bAKIA[A-Z0-9]{16}\b/g,
    hidden,
  ],
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@"'\\]{1,512}@/gi, `$1${hidden}@`],
  [/-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\w+/=\s\\-]{0,8192}/g, hidden],
];

/** Last line of defence: what looks like a credential leaves no log, whichever field it came in. Every pattern is linear. */
export function redactTokens(line: string): string {
  return tokens.reduce((text, [pattern, shown]) => text.replace(pattern, shown), line);
}
