import { expect, it } from 'vitest';
import { memberOf } from './member-of.js';

it('is the own member of an object, and of nothing else', () => {
  expect(memberOf({ a: 1 }, 'a')).toBe(1);
  expect(memberOf(['b'], '0')).toBe('b');
  for (const value of [undefined, null, 'text', 7]) expect(memberOf(value, 'length')).toBeUndefined();
});

it('is none by an inherited name', () => {
  for (const name of ['__proto__', 'constructor', 'toString']) expect(memberOf({}, name)).toBeUndefined();
  expect(memberOf(Object.create({ a: 1 }), 'a')).toBeUndefined();
  expect(memberOf(JSON.parse('{"__proto__":{"a":1}}'), 'a')).toBeUndefined();
});
