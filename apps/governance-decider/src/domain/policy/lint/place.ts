/** Where something stands in a text: line and column from 1, columns in UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export function placeAt(text: string, index: number): Place {
  const before = text.slice(0, Math.max(0, index));
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: before.length - lineStart + 1 };
}

/** The engine counts bytes of UTF-8. */
export function indexOfByte(text: string, offset: number): number {
  let bytes = 0;
  let index = 0;
  for (const char of text) {
    if (bytes >= offset) break;
    const point = char.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x8_00 ? 2 : point < 0x1_00_00 ? 3 : 4;
    index += char.length;
  }
  return index;
}
