import { describe, expect, it } from 'vitest';
import { numbered } from './placeholders.js';

describe('parameters', () => {
  it('are numbered in their order', () => {
    const { text, valuesOf } = numbered('UPDATE a SET b = ? WHERE c = ?');
    expect(text).toBe('UPDATE a SET b = $1 WHERE c = $2');
    expect(valuesOf([1, 'x'])).toEqual([1, 'x']);
  });

  it('with names have one number each, however often they are named, and need a value', () => {
    const { text, valuesOf } = numbered('SELECT @now WHERE @a < @now AND b = @a');
    expect(text).toBe('SELECT $1 WHERE $2 < $1 AND b = $2');
    expect(valuesOf([{ a: 1, now: 2, other: 3 }])).toEqual([2, 1]);
    expect(() => valuesOf([{ a: 1 }])).toThrow('@now');
  });

  it('are not found in texts', () => {
    const { text, valuesOf } = numbered(`SELECT 'who? it''s @me' || ?`);
    expect(text).toBe(`SELECT 'who? it''s @me' || $1`);
    expect(valuesOf(['x'])).toEqual(['x']);
  });

  it('are of one kind', () => {
    expect(() => numbered('SELECT ?, @a')).toThrow('both');
  });
});
