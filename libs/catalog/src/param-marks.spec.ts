import { describe, expect, it } from 'vitest';
import { paramMarks, valueAt } from './param-marks.js';

const text = (name: unknown): object => ({ type: 'string', 'x-mcp-header': name });
const of = (properties: object, more: object = {}): unknown =>
  paramMarks({ type: 'object', properties, ...more });

describe('marks of arguments that are repeated in headers', () => {
  it('are found on properties of properties', () => {
    expect(of({ a: text('A'), in: { type: 'object', properties: { n: text('n') } }, b: {} })).toEqual([
      { name: 'A', path: ['a'] },
      { name: 'n', path: ['in', 'n'] },
    ]);
    expect(of({ 'x-mcp-header': { type: 'string' } })).toEqual([]);
    expect(paramMarks(true)).toEqual([]);
  });

  it('make a schema unsound that breaks their rules', () => {
    for (const name of ['', 'a b', 'a:b', 'é', 'a\t', null, 7]) expect(of({ a: text(name) })).toBeUndefined();
    for (const type of ['number', 'object', 'array', 'null', undefined])
      expect(of({ a: { type, 'x-mcp-header': 'A' } })).toBeUndefined();
    expect(of({ a: text('A'), b: text('a') })).toBeUndefined();
    expect(of({ a: { type: 'array', items: text('A') } })).toBeUndefined();
    expect(of({}, { anyOf: [{ properties: { a: text('A') } }] })).toBeUndefined();
    expect(of({}, { 'x-mcp-header': 'A', type: 'string' })).toBeUndefined();
  });

  it('lead to the values of own members alone', () => {
    expect(valueAt({ a: { b: 0 } }, ['a', 'b'])).toBe(0);
    expect(valueAt({ a: 'x' }, ['a', 'length'])).toBeUndefined();
    expect(valueAt({}, ['constructor', 'name'])).toBeUndefined();
  });
});
