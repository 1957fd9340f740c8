import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexOfByte, placeAt } from './place.js';
import { PolicyText } from './policy-text.js';

describe('a place in a text', () => {
  it('is the line and column that lead back to it', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 8 })), fc.nat(), (lines, seed) => {
        const text = lines.join('\n');
        const index = seed % (text.length + 1);
        const { line, column } = placeAt(text, index);
        const before =
          text
            .split('\n')
            .slice(0, line - 1)
            .join('\n').length + (line > 1 ? 1 : 0);
        expect(before + column - 1).toBe(index);
      }),
    );
  });

  it('of a byte is that of the character it belongs to', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, seed) => {
        const chars = [...text];
        const count = seed % (chars.length + 1);
        const before = chars.slice(0, count).join('');
        expect(indexOfByte(text, Buffer.byteLength(before))).toBe(before.length);
      }),
    );
  });
});

describe('a policy\u2019s text', () => {
  const text = new PolicyText(`// UAR::Tool::"a/b/c" in a comment
@reason("says \\"UAR::Tool::x\\"")
permit (principal, action == UAR::Action::"callTool", resource == UAR :: Tool
  ::"a/b/\\u{63}")
when { context.args.s.hasTag("/caf\\u{e9}") && unknown("x") && context.env has "ip" && context has env.runId };`);

  it.each([
    ['an entity, however it is spelled', text.entity('UAR::Tool', 'a/b/c'), { line: 3, column: 67 }],
    ['an annotation', text.annotation('reason'), { line: 2, column: 2 }],
    ['a tag, its escapes read', text.tag('/caf\u00e9'), { line: 5, column: 30 }],
    ['a call', text.call('unknown'), { line: 5, column: 47 }],
    ['an attribute in quotes', text.presenceOf('ip'), { line: 5, column: 79 }],
    ['an attribute of a path', text.presenceOf('runId'), { line: 5, column: 103 }],
    ['nothing that only a comment or a string mentions', text.entity('UAR::Tool', 'x'), undefined],
  ])('is searched for %s', (_what, found, place) => {
    expect(found).toEqual(place);
  });
});
