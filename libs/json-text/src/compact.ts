import { char } from './token.js';
import { quotedEnd } from './skim.js';

const space = /[ \t\n\r]/;

/** The same JSON text without white space outside strings; nothing else changes. Takes valid JSON. */
export function compact(text: string): string {
  if (!space.test(text)) return text;
  const pieces: string[] = [];
  let kept = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === char.quote) {
      at = quotedEnd(text, at);
    } else if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      if (at > kept) pieces.push(text.slice(kept, at));
      at += 1;
      kept = at;
    } else at += 1;
  }
  if (kept === 0) return text;
  pieces.push(text.slice(kept));
  return pieces.join('');
}
