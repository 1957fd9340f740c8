import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLeaves, type Leaf } from '../../../facts/leaves.js';
import { InputSchema } from './input-schema.js';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** The closed schema of exactly such values. */
function schemaOf(value: Json): object {
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) return { type: 'array', prefixItems: value.map(schemaOf), items: false };
  if (typeof value !== 'object') return { type: typeof value };
  const properties = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, schemaOf(one)]));
  return { type: 'object', properties, additionalProperties: false };
}

const { json } = fc.letrec<{ json: Json; object: { [name: string]: Json } }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'grapheme', maxLength: 3 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom('a', 'b', '*', 'a/b', '~', '~1', '0', ''), tie('json'), {
    maxKeys: 4,
  }),
}));
const someArguments = fc.dictionary(fc.constantFrom('a', 'b*', 'c/d', '~2', ''), json, { maxKeys: 4 });

function leavesOf(value: unknown): readonly Leaf[] {
  const read = readLeaves(JSON.stringify(value));
  return read.kind === 'read' ? read.leaves : [];
}

describe('an argument pointer', () => {
  it('is in the schema of the very arguments that have it, with the type of its value', () => {
    fc.assert(
      fc.property(someArguments, (value) => {
        const schema = InputSchema.of(schemaOf(value));
        const named = new Map(schema.pointers().map((one) => [one.pointer, one]));
        for (const { pointer, kind, repeated } of leavesOf(value)) {
          const looked = schema.look(pointer);
          expect(looked.kind, pointer).toBe('there');
          if (kind !== 'empty' && looked.kind === 'there') expect(looked.types).toContain(kind);
          expect(named.get(pointer)?.isRepeated, pointer).toBe(repeated);
        }
      }),
    );
  });

  it('is absent from a closed schema of arguments that lack it', () => {
    fc.assert(
      fc.property(someArguments, (value) => {
        const schema = InputSchema.of(schemaOf(value));
        expect(schema.look('/none of them')).toEqual({ kind: 'absent' });
        expect(schema.look('/*')).toEqual({ kind: 'absent' });
        for (const { pointer, kind } of leavesOf(value))
          if (kind !== 'empty') expect(schema.look(`${pointer}/x`).kind).not.toBe('unknown');
      }),
    );
  });

  const text = { type: 'string' };
  const there = (...types: string[]) => ({ kind: 'there', types: new Set(types) });

  it.each<[string, unknown, string, unknown]>([
    ['listed', { properties: { a: text } }, '/a', there('string')],
    ['not listed where others are', { properties: { a: text } }, '/b', { kind: 'absent' }],
    ['not listed, the rest forbidden', { additionalProperties: false }, '/b', { kind: 'absent' }],
    [
      'not listed, the rest allowed',
      { properties: {}, additionalProperties: true },
      '/b',
      { kind: 'unknown' },
    ],
    ['of the rest, which has a schema', { additionalProperties: text }, '/b', there('string')],
    [
      'not listed where names follow a pattern',
      { patternProperties: { '^x': {} } },
      '/b',
      { kind: 'unknown' },
    ],
    ['of a schema that says nothing', {}, '/a', { kind: 'unknown' }],
    ['of no schema at all', undefined, '/a', { kind: 'unknown' }],
    ['of a schema that nothing fits', false, '/a', { kind: 'absent' }],
    ['of any type', { properties: { a: {} } }, '/a', there('any')],
    ['of several types', { properties: { a: { type: ['string', 'null'] } } }, '/a', there('string', 'null')],
    ['of listed values', { properties: { a: { enum: ['x', 1] } } }, '/a', there('string', 'number')],
    ['of a constant', { properties: { a: { const: true } } }, '/a', there('boolean')],
    ['below a string', { properties: { a: text } }, '/a/b', { kind: 'absent' }],
    ['below something of any type', { properties: { a: {} } }, '/a/b', { kind: 'unknown' }],
    [
      'in a part of a whole',
      { allOf: [{ properties: { a: text } }, { required: ['a'] }] },
      '/a',
      there('string'),
    ],
    [
      'in no part of a whole',
      { allOf: [{ properties: { a: text } }, { required: ['a'] }] },
      '/b',
      { kind: 'absent' },
    ],
    [
      'in one alternative',
      { anyOf: [{ properties: { a: text } }, { properties: { b: text } }] },
      '/b',
      there('string'),
    ],
    [
      'in no alternative',
      { oneOf: [{ properties: { a: text } }, { properties: { b: text } }] },
      '/c',
      { kind: 'absent' },
    ],
    [
      'in an alternative that says nothing',
      { anyOf: [{ properties: { a: text } }, {}] },
      '/c',
      { kind: 'unknown' },
    ],
    [
      'beside alternatives that only demand',
      { properties: { a: text }, anyOf: [{ required: ['a'] }] },
      '/c',
      { kind: 'absent' },
    ],
    [
      'under a condition',
      { properties: {}, if: {}, then: { properties: { a: text } } },
      '/a',
      there('string'),
    ],
    [
      'of a dependent schema',
      { properties: {}, dependentSchemas: { a: { properties: { b: text } } } },
      '/b',
      there('string'),
    ],
    ['in elements', { properties: { a: { items: text } } }, '/a/*', there('string')],
    ['in elements of any kind', { properties: { a: { type: 'array' } } }, '/a/*', { kind: 'unknown' }],
    [
      'in places of a tuple',
      { properties: { a: { items: [text, { type: 'integer' }], additionalItems: false } } },
      '/a/*',
      there('string', 'number'),
    ],
    ['an element by its number', { properties: { a: { items: text } } }, '/a/0', { kind: 'absent' }],
    ['a member that has the name of a star', { properties: { '*': text } }, '/~2', there('string')],
    [
      'behind a reference',
      { properties: { a: { $ref: '#/$defs/x~1y' } }, $defs: { 'x/y': text } },
      '/a',
      there('string'),
    ],
    ['behind a reference to elsewhere', { $ref: 'https://example.com/schema' }, '/a', { kind: 'unknown' }],
    ['behind a reference to nothing', { $ref: '#/$defs/none' }, '/a', { kind: 'unknown' }],
    ['in a schema that is its own part', { properties: { a: { $ref: '#' } } }, '/a/a/a', there('object')],
    ['in no part of itself', { properties: { a: { $ref: '#' } } }, '/a/a/b', { kind: 'absent' }],
    ['behind a reference to itself', { $ref: '#' }, '/a', { kind: 'unknown' }],
  ])('%s', (_what, schema, pointer, looked) => {
    expect(InputSchema.of(schema).look(pointer)).toEqual(looked);
  });

  it('is listed once, however often a schema refers to itself, and no more than 512 are', () => {
    const tree = { properties: { value: text, left: { $ref: '#' }, right: { $ref: '#' } } };
    const pointers = InputSchema.of(tree)
      .pointers()
      .map(({ pointer }) => pointer);
    expect(pointers).toHaveLength(512);
    expect(new Set(pointers).size).toBe(512);
    expect(pointers.slice(0, 3)).toEqual(['/value', '/left', '/right']);
  });

  it('is looked for in bounded time in a schema whose every part may be every other', () => {
    const every = Array.from({ length: 150 }, (_one, index) => ({ $ref: `#/$defs/p${index}` }));
    const part = () => ({ properties: { a: { anyOf: every } }, anyOf: every });
    const $defs = Object.fromEntries(every.map((_one, index) => [`p${index}`, part()]));
    const schema = InputSchema.of({ $ref: '#/$defs/p0', $defs });
    const before = performance.now();
    expect(schema.look('/a/a/a/a/a/a').kind).not.toBe('absent');
    expect(schema.pointers().length).toBeLessThanOrEqual(512);
    expect(schema.look('/b')).toEqual({ kind: 'unknown' });
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});
