import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWritable, linesOf, replaceText, textOf } from './text-edits.js';

describe('lines of a text', () => {
  it('are given whole when nothing is asked', () => {
    expect(linesOf('a\nb', 0, undefined)).toEqual({ text: 'a\nb' });
    expect(linesOf('', 0, 5)).toEqual({ text: '' });
    expect(linesOf('a\nb\n', 0, 2)).toEqual({ text: 'a\nb\n' });
  });

  it('are cut with their numbers', () => {
    expect(linesOf('a\r\nb\r\nc', 1, 1)).toEqual({ text: 'b\r\n', part: { first: 2, last: 2, total: 3 } });
    expect(linesOf('a\nb\n', 7, undefined)).toEqual({ text: '', part: { first: 8, last: 7, total: 2 } });
  });

  it('put together again are the text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '\n', '\r\n', 'é')), fc.nat(10), (parts, at) => {
        const text = parts.join('');
        const head = at === 0 ? '' : linesOf(text, 0, at).text;
        expect(head + linesOf(text, at, undefined).text).toBe(text);
      }),
    );
  });
});

describe('a replacement', () => {
  it('wants one occurrence unless all are meant', () => {
    expect(replaceText('a b', { was: 'x', becomes: 'y', all: true }).kind).toBe('keep');
    expect(replaceText('a a', { was: 'a', becomes: 'y', all: false })).toMatchObject({
      kind: 'keep',
      reason: expect.stringContaining('2 times'),
    });
    expect(replaceText('a a', { was: 'a', becomes: 'y', all: true })).toEqual({
      kind: 'replace',
      bytes: Buffer.from('y y'),
    });
  });

  it('takes every text as it is, replacement patterns included', () => {
    expect(replaceText('x', { was: 'x', becomes: '$& $1 $$', all: false })).toEqual({
      kind: 'replace',
      bytes: Buffer.from('$& $1 $$'),
    });
  });
});

describe('text', () => {
  it('is UTF-8 without NUL, byte for byte', () => {
    expect(textOf(Buffer.from('\ufeffé'))).toBe('\ufeffé');
    expect(textOf(Buffer.from([0x61, 0]))).toBeUndefined();
    expect(textOf(Buffer.from([0xc3]))).toBeUndefined();
    expect(isWritable('a😀')).toBe(true);
    expect(isWritable('a\ud83d')).toBe(false);
  });
});
