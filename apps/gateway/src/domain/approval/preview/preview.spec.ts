import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entry } from '../../call-spec/entry.fixture.js';
import { argumentsPreview, mostShownBytes } from './preview.js';

const plain = { type: 'object' };

function shown(text: string, of: { pointers?: readonly string[]; schema?: object } = {}): string {
  return argumentsPreview(
    text,
    entry('write', { secret_pointers: [...(of.pointers ?? [])] }, of.schema ?? plain),
  );
}

const password = { type: 'string', format: 'password' };

describe('argumentsPreview', () => {
  it('shows what hides: bidirectional marks, zero-width characters, blanks that are no space', () => {
    const text = JSON.stringify({ path: '/tmp/\u202egpj.exe\u200b\u00a0\u3164x' });
    expect(shown(text)).toBe('{"path":"/tmp/\\u{202e}gpj.exe\\u{200b}\\u{a0}\\u{3164}x"}');
  });

  it('leaves letters of every script and emoji alone', () => {
    const text = '{"a":"Grüße, Привет, 日本語 👍"}';
    expect(shown(text)).toBe(text);
  });

  it('shows 64 KB whole, and of more head and tail with the count of bytes between', () => {
    const whole = `{"a":"${'x'.repeat(mostShownBytes - 8)}"}`;
    expect(shown(whole)).toBe(whole);
    const long = shown(`{"a":"${'é'.repeat(40_000)}","end":"rm -rf /"}`);
    const [head = '', tail = ''] = long.split(/ \[\.\.\. \d+ bytes not shown \.\.\.\] /);
    const left = Number(/\[\.\.\. (\d+) bytes not shown/.exec(long)?.[1]);
    expect(head.startsWith('{"a":"éé')).toBe(true);
    expect(tail.endsWith('é","end":"rm -rf /"}')).toBe(true);
    expect(`${head}${tail}`).not.toContain('\ufffd');
    expect(Buffer.byteLength(head) + Buffer.byteLength(tail) + left).toBe(80_025);
  });

  it('splices secrets out with their length and leaves the rest as it was received', () => {
    const text = '{"n":12345678901234567890,"e":"\\u00e9\\/","k\\u0065y":"s\\u0031é","b":{"z":1,"a":1.50}}';
    expect(shown(text, { pointers: ['/key', '/absent/x', '/b/a'] })).toBe(
      '{"n":12345678901234567890,"e":"\\u00e9\\/","k\\u0065y":"*** (4 bytes)","b":{"z":1,"a":"*** (4 bytes)"}}',
    );
  });

  it('stars by pointer also every element of an array, and names with slashes', () => {
    const text = '{"list":[{"token":"s2"},{"token":{"a":[1]}}],"a/b":"s4","ok":1}';
    expect(shown(text, { pointers: ['/list/*/token', '/a~1b'] })).toBe(
      '{"list":[{"token":"*** (2 bytes)"},{"token":"*** (9 bytes)"}],"a/b":"*** (2 bytes)","ok":1}',
    );
    expect(shown(text, { pointers: ['/list/1'] })).toContain('"s2"},"*** (19 bytes)"]');
  });

  it.each<[string, object, string]>([
    ['a property', { properties: { p: password } }, '{"p":"S"}'],
    ['a nested one', { properties: { a: { properties: { p: password } } } }, '{"a":{"p":"S"}}'],
    [
      'items',
      { properties: { a: { items: { properties: { p: password } } } } },
      '{"a":[{"p":"S"},{"p":"S"}]}',
    ],
    ['one item of several', { properties: { a: { prefixItems: [{}, password] } } }, '{"a":[1,"S"]}'],
    ['additional properties', { additionalProperties: password }, '{"any":"S"}'],
    ['pattern properties', { patternProperties: { '^p': password } }, '{"pw":"S"}'],
    ['a reference', { properties: { p: { $ref: '#/$defs/a~1b' } }, $defs: { 'a/b': password } }, '{"p":"S"}'],
    [
      'an anchor',
      { properties: { p: { $ref: '#pw' } }, $defs: { x: { ...password, $anchor: 'pw' } } },
      '{"p":"S"}',
    ],
    ['allOf', { allOf: [{ properties: { p: password } }] }, '{"p":"S"}'],
    ['one branch of anyOf', { properties: { p: { anyOf: [{ type: 'number' }, password] } } }, '{"p":"S"}'],
    [
      'oneOf in a reference',
      { $ref: '#/$defs/o', $defs: { o: { oneOf: [{ properties: { p: password } }] } } },
      '{"p":"S"}',
    ],
    ['a condition', { if: {}, then: { properties: { p: password } } }, '{"p":"S"}'],
    ['a value that is no string', { properties: { p: password } }, '{"p":{"x":"S"}}'],
    ['a repeated name', { properties: { p: password } }, '{"p":"S","p":"S"}'],
  ])('stars what the schema calls a password: %s', (_where, schema, text) => {
    expect(shown(text, { schema: { type: 'object', ...schema } })).toMatch(
      /^[^S]*"\*\*\* \(\d+ bytes\)"[^S]*$/,
    );
  });

  it('stars only that, in schemas that refer to themselves too', () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, p: password, next: { $ref: '#' } },
      additionalProperties: false,
    };
    expect(shown('{"name":"n","p":"é","next":{"name":"m","next":{"p":"xyz"}}}', { schema })).toBe(
      '{"name":"n","p":"*** (2 bytes)","next":{"name":"m","next":{"p":"*** (3 bytes)"}}}',
    );
  });

  it('never shows a character that cannot be seen, and changes nothing else of a text without secrets', () => {
    const schema = { type: 'object', properties: { unlikely: password } };
    fc.assert(
      fc.property(fc.json(), (text) => {
        const preview = shown(text, { schema, pointers: ['/unlikely'] });
        expect(preview).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        if (!/[^\x20-\x7e]/.test(text) && !text.includes('unlikely')) expect(preview).toBe(text);
      }),
    );
  });
});
