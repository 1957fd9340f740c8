import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matcherOf } from './glob.js';

describe('patterns of tool names', () => {
  it('match whole names, with * for any characters', () => {
    const matches = (pattern: string, name: string) => matcherOf([pattern])(name);
    expect(matches('fs__read', 'fs__read')).toBe(true);
    expect(matches('fs__read', 'fs__read2')).toBe(false);
    expect(matches('fs__*', 'fs__')).toBe(true);
    expect(matches('*', '')).toBe(true);
    expect(matches('a*a', 'a')).toBe(false);
    expect(matches('a*b*a', 'axbya')).toBe(true);
    expect(matches('a*b*a', 'axya')).toBe(false);
    expect(matches('.*', 'x')).toBe(false);
    expect(matcherOf(['x', 'fs__*'])('fs__a')).toBe(true);
  });

  it('agree with a search that tries everything', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 });
    const slow = (given: string, name: string): boolean => {
      if (given === '') return name === '';
      if (given.startsWith('*'))
        return slow(given.slice(1), name) || (name !== '' && slow(given, name.slice(1)));
      return name[0] === given[0] && slow(given.slice(1), name.slice(1));
    };
    fc.assert(
      fc.property(pattern, text, (given, name) => {
        expect(matcherOf([given])(name)).toBe(slow(given, name));
      }),
      { numRuns: 1_000 },
    );
  });
});
