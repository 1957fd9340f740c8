import { describe, expect, it } from 'vitest';
import { definitionFlags } from './flags.js';

const messages = (text: string) => definitionFlags(text).map(({ message }) => message);

const tool = (inputSchema: unknown, name = 'tool') => JSON.stringify({ name, inputSchema });
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
const properties = (count: number) => ({
  properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, {}])),
});
const refs = (count: number) => ({ anyOf: Array.from({ length: count }, () => ({ $ref: '#/$defs/x' })) });

describe('definitionFlags', () => {
  it.each([
    ['an ordinary tool', tool({ type: 'object', properties: { a: { type: 'string' } } })],
    ['a recursive schema', tool({ $defs: { n: { properties: { next: { $ref: '#/$defs/n' } } } } })],
    ['a property that is called $ref', tool({ properties: { $ref: { type: 'string' } } })],
    ['31 levels of schema', tool(nested(31))],
    ['500 properties', tool(properties(500))],
    ['200 references', tool(refs(200))],
    ['a name without Latin letters', tool({}, '読む')],
    ['a name with accents', tool({}, 'créer')],
  ])('lets %s pass', (_what, text) => {
    expect(definitionFlags(text)).toEqual([]);
  });

  it.each([
    ['32 levels of schema', tool(nested(32)), 'nested 33 deep'],
    ['501 properties', tool(properties(501)), '501 properties'],
    ['201 references', tool(refs(201)), '201 references'],
    ['a remote reference', tool({ $ref: 'https://example.com/s.json' }), 'reference to another document'],
    [
      'a relative reference',
      tool({ items: { $dynamicRef: 'other.json#a' } }),
      'reference to another document',
    ],
    ['a zero-width character', tool({}, 'ec\u200bho'), 'invisible characters in the name'],
    ['a bidirectional override', tool({}, 'a\u202eb'), 'invisible characters in the name'],
    ['a line break', tool({}, 'a\nb'), 'invisible characters in the name'],
    ['Cyrillic among Latin letters', tool({}, 'e\u0441ho'), 'letters of several scripts in the name'],
    ['more than 64 KB', tool({ description: 'x'.repeat(65_536) }), 'definition of 65584 bytes'],
    [
      'a member that stands twice',
      '{"name":"a","inputSchema":{"x":1,"x":2}}',
      'duplicate member at /inputSchema/x',
    ],
    ['no object', '[]', 'definition is no object'],
    ['no JSON', '{', 'definition is no JSON'],
    ['no name', '{"name":1}', 'no name'],
  ])('flags %s', (_what, text, flag) => {
    expect(messages(text)).toEqual([flag]);
  });

  it('measures nesting without recursion', () => {
    const deep = `{"name":"a","inputSchema":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    expect(definitionFlags(deep)).toEqual([{ kind: 'bound', message: 'nested 30001 deep' }]);
  });
});
