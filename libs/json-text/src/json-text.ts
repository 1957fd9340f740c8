import { hash, randomUUID } from 'node:crypto';
import type { Digest } from '@uar/contracts';

const mark = `uar-json-text-${randomUUID()}-`;

/** Texts met by the `stringifyWithText` that runs now; undefined outside of one. */
let met: string[] | undefined;

/** A value that a transport splices into its frame as it is. Whoever makes one vouches that it is valid JSON. */
export class JsonText {
  constructor(readonly text: string) {}

  /** Only `stringifyWithText` may write it: an accidental `JSON.stringify` would send an object with a `text` member. */
  toJSON(): string {
    if (met === undefined) throw new TypeError('a JsonText must be written with stringifyWithText');
    met.push(this.text);
    return mark;
  }
}

/** `JSON.stringify`, with each `JsonText` found anywhere in the value written as its own text. */
export function stringifyWithText(value: unknown): string {
  const outer = met;
  const texts: string[] = [];
  met = texts;
  try {
    const written = JSON.stringify(value);
    if (texts.length === 0) return written;
    const pieces = written.split(`"${mark}"`);
    let out = pieces[0] ?? '';
    for (let index = 1; index < pieces.length; index += 1)
      out += (texts[index - 1] ?? '') + (pieces[index] ?? '');
    return out;
  } finally {
    met = outer;
  }
}

/** Digest of an argument text (DESIGN.md 8): sha256 over its UTF-8. */
export function argumentsDigest(argumentText: string): Digest {
  return textDigest(argumentText);
}

/** `sha256:` and the hex of the hash of a text's UTF-8. */
export function textDigest(text: string): Digest {
  return `sha256:${hash('sha256', text, 'hex')}`;
}
