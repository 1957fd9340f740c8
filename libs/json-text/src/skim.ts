import { char, skipSpace, unquote, type Span } from './token.js';

/**
 * Readers for text that is known to be valid JSON: they look at brackets and quotes only. On other text they answer
 * something or `undefined`, in linear time, and never throw.
 */

/** Raw text of a (nested) object member; of a repeated name the last, as `JSON.parse` reads it. */
export function memberText(text: string, ...path: readonly string[]): string | undefined {
  let span: Span = { start: 0, end: text.length };
  for (const name of path) {
    const member = findMember(text, span.start, name);
    if (member === undefined) return undefined;
    span = member;
  }
  return path.length === 0 ? text.trim() : text.slice(span.start, span.end);
}

/** The string that a (nested) object member is; undefined where it is none. */
export function memberString(text: string, ...path: readonly string[]): string | undefined {
  const json = memberText(text, ...path);
  return json?.startsWith('"') === true ? unescaped(json, { start: 0, end: json.length }) : undefined;
}

/** Span of the value of the last member `name` of the object that starts at `at`. */
export function findMember(text: string, at: number, name: string): Span | undefined {
  let found: Span | undefined;
  for (const member of membersFrom(text, at)) if (unescaped(text, member.name) === name) found = member.value;
  return found;
}

/** The members of the object that starts at `at`, with unescaped names, repeated ones included; none of anything else. */
export function memberSpans(text: string, at: number): { readonly name: string; readonly value: Span }[] {
  return [...membersFrom(text, at)].flatMap((member) => {
    const name = unescaped(text, member.name);
    return name === undefined ? [] : [{ name, value: member.value }];
  });
}

/** The raw text of each element of an array; empty for anything else. */
export function elementTexts(text: string): string[] {
  return elementSpans(text, 0).map(({ start, end }) => text.slice(start, end));
}

/** Where the elements of the array that starts at `from` stand; none of anything else. */
export function elementSpans(text: string, from: number): Span[] {
  let at = skipSpace(text, from);
  const elements: Span[] = [];
  if (text.charCodeAt(at) !== char.openArray) return elements;
  at = skipSpace(text, at + 1);
  while (at < text.length && text.charCodeAt(at) !== char.closeArray) {
    const end = valueEnd(text, at);
    if (end === at) return elements;
    elements.push({ start: at, end });
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === char.comma) at = skipSpace(text, at + 1);
  }
  return elements;
}

interface Member {
  readonly name: Span;
  readonly value: Span;
}

function* membersFrom(text: string, from: number): Generator<Member> {
  let at = skipSpace(text, from);
  if (text.charCodeAt(at) !== char.openObject) return;
  at = skipSpace(text, at + 1);
  while (text.charCodeAt(at) === char.quote) {
    const name = { start: at, end: quotedEnd(text, at) };
    at = skipSpace(text, name.end);
    if (text.charCodeAt(at) !== char.colon) return;
    const start = skipSpace(text, at + 1);
    const end = valueEnd(text, start);
    if (end === start) return;
    yield { name, value: { start, end } };
    at = skipSpace(text, end);
    if (text.charCodeAt(at) !== char.comma) return;
    at = skipSpace(text, at + 1);
  }
}

function unescaped(text: string, { start, end }: Span): string | undefined {
  try {
    return unquote(text, start, end);
  } catch {
    return undefined;
  }
}

/** Position behind the string that opens at `at`; the end of the text when it never closes. */
export function quotedEnd(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1);
  while (quote !== -1) {
    let slash = quote - 1;
    while (text.charCodeAt(slash) === char.backslash) slash -= 1;
    if ((quote - slash) % 2 === 1) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

function valueEnd(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === char.quote) return quotedEnd(text, at);
  if (first === char.openObject || first === char.openArray) return containerEnd(text, at);
  let position = at;
  while (position < text.length && !endsScalar(text.charCodeAt(position))) position += 1;
  return position;
}

function endsScalar(code: number): boolean {
  return code === char.comma || code === char.closeObject || code === char.closeArray || code <= 0x20;
}

function containerEnd(text: string, at: number): number {
  let depth = 0;
  let position = at;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === char.quote) {
      position = quotedEnd(text, position);
      continue;
    }
    position += 1;
    if (code === char.openObject || code === char.openArray) depth += 1;
    else if (code === char.closeObject || code === char.closeArray) {
      depth -= 1;
      if (depth === 0) return position;
    }
  }
  return text.length;
}
