import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearest } from './nearest.js';

describe('the edit distance', () => {
  it.each([
    ['port', 'prot', 1],
    ['port', 'port', 0],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
  ])('from %s to %s is %i', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });

  it('is symmetric, and zero for equal words only', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
      }),
    );
  });
});

describe('the nearest word', () => {
  it('is the one with the fewest edits', () => {
    expect(nearest('jwt_secert', ['jwt_secret', 'jwt_secret_file'])).toBe('jwt_secret');
  });

  it('is nothing when every word is far', () => {
    expect(nearest('flavour', ['port', 'host'])).toBeUndefined();
  });
});
