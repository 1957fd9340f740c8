import { definitionTexts } from '../definition/definition-texts.js';
import { instructionsIn } from './instructions.js';
import { visibleText } from '../definition/visible.js';

const mostFlags = 10;
const longestPointer = 120;
const shortestInstruction = 8;

/** Emoji joined into one, and the space of ordinary layout: what honest texts use. */
const ordinary =
  /(?<=\p{Extended_Pictographic}[\ufe0f\p{EMod}]?)\u200d(?=\p{Extended_Pictographic})|[\t\n\r]/gu;

const hidden: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'bidirectional controls', pattern: /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u },
  { what: 'tag characters', pattern: /[\u{e0000}-\u{e007f}]/u },
  { what: 'variation selectors', pattern: /[\u{e0100}-\u{e01ef}]|[\ufe00-\ufe0f]{2}/u },
  { what: 'private-use characters', pattern: /\p{Co}/u },
  { what: 'control characters', pattern: /[\p{Cc}\p{Cs}]/u },
  {
    what: 'invisible characters',
    pattern:
      /(?![\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}])[\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u2800]/u,
  },
];

/** Hidden characters and texts that read like instructions, one clause each with the place, at most ten. */
export function textFlags(definition: Readonly<Record<string, unknown>>): readonly string[] {
  const texts = [...definitionTexts(definition)];
  // All at once first: nearly every definition is honest, and one search is cheaper than hundreds.
  if (findings(texts.map(({ text }) => text).join('\n')).length === 0) return [];
  const flags = new Set<string>();
  for (const { pointer, text } of texts) {
    for (const what of findings(text)) flags.add(`${what} at ${place(pointer)}`);
    if (flags.size >= mostFlags) break;
  }
  return [...flags].slice(0, mostFlags);
}

function findings(text: string): readonly string[] {
  const found = text.length < shortestInstruction ? [] : instructionsIn(text);
  return [...hiddenIn(text), ...found];
}

function hiddenIn(text: string): readonly string[] {
  if (/^[\x20-\x7e\t\n\r]*$/.test(text)) return [];
  const rest = text.replace(ordinary, '');
  return hidden.filter(({ pattern }) => pattern.test(rest)).map(({ what }) => what);
}

function place(pointer: string): string {
  const shown = visibleText(pointer);
  return shown.length <= longestPointer ? shown : `${shown.slice(0, longestPointer)}...`;
}
