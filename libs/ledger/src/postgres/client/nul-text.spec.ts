import { expect, it } from 'vitest';
import fc from 'fast-check';
import { withNul, withoutNul } from './nul-text.js';

it('writes every text without U+0000, so that it is read as it was', () => {
  const character = fc.constantFrom('\0', '\uE000', '0', '1', 'a', '\u{1F600}');
  fc.assert(
    fc.property(fc.array(character), (characters) => {
      const text = characters.join('');
      expect(withoutNul(text)).not.toContain('\0');
      expect(withNul(withoutNul(text))).toBe(text);
    }),
  );
});
