import { visibleText } from '@uar/catalog';

/** HTML of ours: what came from elsewhere is escaped in it. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | readonly Html[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template whose values are text, never markup, unless they are `Html` themselves. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.map((text, index) => text + written(parts[index] ?? '')).join(''));
}

export const nothing = new Html('');

/** Text of others (names, reasons): on one line, with every character that could hide or reorder written out. */
export function plain(text: string): string {
  return visibleText(text);
}

function written(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'string' || typeof part === 'number')
    return String(part).replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
  return part.map(({ text }) => text).join('');
}
