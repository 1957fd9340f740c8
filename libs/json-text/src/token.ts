/** Where a piece of JSON stands in its text: `text.slice(start, end)`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export const char = {
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  plus: 0x2b,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  upperE: 0x45,
  backslash: 0x5c,
  lowerE: 0x65,
  lowerU: 0x75,
  openArray: 0x5b,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/** Position of the first character from `at` on that is not white space (RFC 8259 section 2). */
export function skipSpace(text: string, at: number): number {
  let position = at;
  for (;;) {
    const code = text.charCodeAt(position);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return position;
    position += 1;
  }
}

const simpleEscapes = new Uint8Array(128);
for (const letter of '"\\/bfnrt') simpleEscapes[letter.charCodeAt(0)] = 1;

/** `-1 - offset` of the offending character: how the strict readers below say that a token is broken. */
const broken = (offset: number): number => -1 - offset;

/** Characters that a string holds as they are; from the first of them that is looked at on. */
const plainRun = /[ !#-[\]-\uffff]+/y;
/** From here on the search for the end of a run is faster than looking at each character; most strings are shorter. */
const longRun = 64;

/** Position behind the string that opens at `at`, or `-1 - offset` of what is wrong in it. */
export function stringEnd(text: string, at: number): number {
  let position = at + 1;
  let runEnd = position + longRun;
  for (;;) {
    if (position >= runEnd) {
      plainRun.lastIndex = position;
      if (plainRun.test(text)) position = plainRun.lastIndex;
      runEnd = position + longRun;
    }
    const code = text.charCodeAt(position);
    if (code === char.quote) return position + 1;
    if (code === char.backslash) {
      const next = escapeEnd(text, position);
      if (next < 0) return next;
      position = next;
    } else if (code >= 0x20) position += 1;
    else return broken(position);
  }
}

function escapeEnd(text: string, at: number): number {
  const code = text.charCodeAt(at + 1);
  if (simpleEscapes[code] === 1) return at + 2;
  if (code !== char.lowerU) return broken(at);
  for (let position = at + 2; position < at + 6; position += 1)
    if (!isHexDigit(text.charCodeAt(position))) return broken(at);
  return at + 6;
}

function isHexDigit(code: number): boolean {
  const lower = code | 0x20;
  return (code >= char.zero && code <= char.nine) || (lower >= 0x61 && lower <= 0x66);
}

function isDigit(code: number): boolean {
  return code >= char.zero && code <= char.nine;
}

function digitsEnd(text: string, at: number): number {
  let position = at;
  while (isDigit(text.charCodeAt(position))) position += 1;
  return position === at ? broken(at) : position;
}

/** Position behind the number that starts at `at`, or `-1 - offset`. */
function numberEnd(text: string, at: number): number {
  const first = text.charCodeAt(at) === char.minus ? at + 1 : at;
  let position = text.charCodeAt(first) === char.zero ? first + 1 : digitsEnd(text, first);
  if (position >= 0 && text.charCodeAt(position) === char.dot) position = digitsEnd(text, position + 1);
  if (position < 0) return position;
  if ((text.charCodeAt(position) | 0x20) !== char.lowerE) return position;
  const sign = text.charCodeAt(position + 1);
  return digitsEnd(text, sign === char.plus || sign === char.minus ? position + 2 : position + 1);
}

/** Position behind the scalar (string, number, true, false, null) at `at`, or `-1 - offset`. */
export function scalarEnd(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === char.quote) return stringEnd(text, at);
  if (code === char.minus || isDigit(code)) return numberEnd(text, at);
  if (text.startsWith('true', at) || text.startsWith('null', at)) return at + 4;
  if (text.startsWith('false', at)) return at + 5;
  return broken(at);
}

/** The value of the string token at `start` to `end`, which is known to be valid. */
export function unquote(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  return inner.includes('\\') ? String(JSON.parse(text.slice(start, end))) : inner;
}
