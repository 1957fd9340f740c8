import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cedarNumber } from './number.js';

describe('a number on its way to Cedar', () => {
  it.each([
    ['0', 0, '0.0'],
    ['-0', 0, '0.0'],
    ['50', 50, '50.0'],
    ['5.0e1', 50, '50.0'],
    ['500E-1', 50, '50.0'],
    ['10000.0001', undefined, '10000.0001'],
    ['-1.5', undefined, '-1.5'],
    ['-0.0001', undefined, '-0.0001'],
    ['0.1000000', undefined, '0.1'],
    ['9007199254740991', 9007199254740991, undefined],
    ['922337203685477.5807', undefined, '922337203685477.5807'],
  ])('%s keeps its value', (text, long, decimal) => {
    const found = cedarNumber(text);
    expect({ long: found.long, decimal: found.decimal, exact: found.exact }).toEqual({
      long,
      decimal,
      exact: true,
    });
  });

  it.each([
    '9007199254740992',
    '0.00001',
    '1e400',
    '-1e400',
    '1e-400',
    '9'.repeat(500),
    '922337203685477.5808',
    'NaN',
    '',
    '1.',
  ])('%s is in neither kind', (text) => {
    expect(cedarNumber(text)).toEqual({ exact: false });
  });

  it('has one value for all spellings of an integer', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.nat(6), (value, zeros) => {
        const spellings = [
          `${value}`,
          `${value}.${'0'.repeat(zeros + 1)}`,
          `${value}${'0'.repeat(zeros)}e-${zeros}`,
        ];
        for (const spelling of spellings) expect(cedarNumber(spelling).long).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it('keeps four decimals exactly', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), fc.integer({ min: 0, max: 9999 }), (whole, part) => {
        const fraction = part.toString().padStart(4, '0');
        const decimal = cedarNumber(`${whole}.${fraction}`).decimal ?? '';
        expect(Number(decimal)).toBe(Number(`${whole}.${fraction}`));
        expect(decimal).toMatch(/^-?\d+\.\d{1,4}$/);
      }),
    );
  });
});
