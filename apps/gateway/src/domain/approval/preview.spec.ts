import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argumentsPreview } from './preview.js';

describe('argumentsPreview', () => {
  it('shows what hides: bidirectional marks, zero-width characters, blanks that are no space', () => {
    const text = JSON.stringify({ path: '/tmp/\u202egpj.exe\u200b\u00a0\u3164x' });
    expect(argumentsPreview(text, [])).toBe('{"path":"/tmp/\\u{202e}gpj.exe\\u{200b}\\u{a0}\\u{3164}x"}');
  });

  it('leaves letters of every script and emoji alone', () => {
    const text = '{"a":"Grüße, Привет, 日本語 👍"}';
    expect(argumentsPreview(text, [])).toBe(text);
  });

  it('shows 10 kB whole, and counts what it leaves out of more', () => {
    const ten = JSON.stringify({ a: 'x'.repeat(10_000) });
    expect(argumentsPreview(ten, [])).toBe(ten);
    const long = argumentsPreview(JSON.stringify({ a: 'x'.repeat(100_000), end: 'rm -rf /' }), []);
    expect(long).toMatch(/characters not shown/);
    expect(long.endsWith('"end":"rm -rf /"}')).toBe(true);
    expect(long.length).toBeLessThan(17_000);
  });

  it('stars secrets by pointer, also in every element of an array', () => {
    const text = JSON.stringify({ key: 's1', list: [{ token: 's2' }, { token: 's3' }], 'a/b': 's4', ok: 1 });
    const shown = argumentsPreview(text, ['/key', '/list/*/token', '/a~1b', '/absent/x']);
    expect(shown).not.toMatch(/s[1-4]/);
    expect(shown).toContain('"ok":1');
  });

  it('never shows a character that cannot be seen', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(argumentsPreview(text, [])).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
    );
  });
});
