/** What could hide from a reader or reorder what is read: controls, format characters, odd spaces, private use, lone surrogates. */
const deceptive =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\u115f\u1160\u3164\uffa0\u2800]|(?! )\p{Zs}|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;

/** The text with every character that a reader could miss written as `\u{hex}`. */
export function visibleText(text: string): string {
  return text.replace(deceptive, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
