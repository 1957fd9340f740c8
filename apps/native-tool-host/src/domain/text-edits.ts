import type { Edited } from './files.js';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const loneSurrogate = /\p{Surrogate}/u;

/** UTF-8 text without NUL; undefined for anything else. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** False for text that UTF-8 cannot carry: it would be written as something else. */
export function isWritable(text: string): boolean {
  return !loneSurrogate.test(text);
}

export interface Lines {
  readonly text: string;
  /** Numbers of the first and last line given, from 1; absent when the text is whole. */
  readonly part?: { readonly first: number; readonly last: number; readonly total: number };
}

/** Lines `skip + 1` to `skip + limit` with their line ends. A last line without line end is a line. */
export function linesOf(text: string, skip: number, limit: number | undefined): Lines {
  if (skip === 0 && limit === undefined) return { text };
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const chosen = lines.slice(skip, limit === undefined ? undefined : skip + limit);
  if (chosen.length === lines.length) return { text };
  return {
    text: chosen.join(''),
    part: { first: skip + 1, last: skip + chosen.length, total: lines.length },
  };
}

export interface Substitution {
  readonly was: string;
  readonly becomes: string;
  /** Every occurrence; otherwise exactly one is expected. */
  readonly all: boolean;
}

/** Replaces exact text; nothing in it is a pattern. */
export function replaceText(current: string, { was, becomes, all }: Substitution): Edited {
  const pieces = current.split(was);
  const found = pieces.length - 1;
  if (found === 0) return { kind: 'keep', reason: 'old_string is not in the file.' };
  if (found > 1 && !all) {
    const reason = `old_string is in the file ${String(found)} times; give more of its surroundings, or allow_multiple.`;
    return { kind: 'keep', reason };
  }
  return { kind: 'replace', bytes: Buffer.from(pieces.join(becomes)) };
}
