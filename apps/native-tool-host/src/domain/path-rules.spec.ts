import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { componentsOf, isInside } from './path-rules.js';

const name = fc.constantFrom('a', 'b', 'bc', 'b c', '.hidden', '..x');
const path = fc.array(name, { maxLength: 5 });

describe('a path', () => {
  it('is absolute, without parents, NUL or half characters', () => {
    expect(componentsOf('/a//b/./c')).toEqual(['a', 'b', 'c']);
    for (const bad of ['', 'a', './a', '~/a', '/a/../b', '/..', '/a\0', '/a\ud800', 'file:///a', 'C:\\a'])
      expect(componentsOf(bad)).toBeUndefined();
  });

  it('is inside a folder by whole components only', () => {
    expect(isInside(['a', 'bc'], ['a', 'b'])).toBe(false);
    expect(isInside(['a'], ['a', 'b'])).toBe(false);
    expect(isInside(['a', 'b'], ['a', 'b'])).toBe(true);
  });

  it('is inside exactly when it begins with the folder and a slash', () => {
    fc.assert(
      fc.property(path, path, (inner, outer) => {
        const text = (parts: string[]): string => parts.map((part) => `/${part}`).join('');
        const expected = `${text(inner)}/`.startsWith(`${text(outer)}/`);
        expect(isInside(inner, outer)).toBe(expected);
      }),
    );
  });
});
