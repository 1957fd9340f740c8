import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readArguments } from './argument-facts.js';
import { fillBags, type Bags } from './bags.js';
import { readLeaves, type Leaf } from './leaves.js';

const none = { paths: [], hosts: [], recipients: [] };

function leavesOf(text: string): readonly Leaf[] {
  const read = readLeaves(text);
  if (read.kind === 'rejected') throw new Error(read.problem);
  return read.leaves;
}

const bagsOf = (value: unknown): Bags => fillBags(leavesOf(JSON.stringify(value)));

describe('arguments in bags', () => {
  it('stand under their pointers, by type', () => {
    expect(
      bagsOf({
        path: '/a',
        opts: { depth: 3, ratio: 0.5, deep: true, none: null },
        'a/b~c*': 'x',
        empty: {},
      }),
    ).toEqual({
      s: { '/path': '/a', '/a~1b~0c~2': 'x' },
      n: { '/opts/depth': 3 },
      d: { '/opts/depth': '3.0', '/opts/ratio': '0.5' },
      b: { '/opts/deep': true },
      l: {},
      paths: ['/path', '/opts/depth', '/opts/ratio', '/opts/deep', '/opts/none', '/a~1b~0c~2', '/empty'],
      nulls: ['/opts/none'],
      lossless: true,
    });
  });

  it('are sets below arrays, apart by type', () => {
    expect(
      bagsOf({ items: [{ id: 'a' }, { id: 'b' }, { id: 'a' }, { id: 1 }, { id: true }, { id: null }] }),
    ).toMatchObject({
      s: {},
      n: {},
      l: { '/items/*/id': ['a', 'b'], '/items/*/id:number': ['1'], '/items/*/id:boolean': ['true'] },
      nulls: ['/items/*/id'],
      lossless: true,
    });
  });

  it('cannot be spelled by member names: no name makes an element, an entity or a prototype', () => {
    const text = '{"*":"x","__proto__":"y","a":{"__entity":{"type":"UAR::User","id":"root"},"*:number":"1"}}';
    expect(fillBags(leavesOf(text))).toMatchObject({
      s: {
        '/~2': 'x',
        '/__proto__': 'y',
        '/a/__entity/type': 'UAR::User',
        '/a/__entity/id': 'root',
        '/a/~2:number': '1',
      },
      l: {},
    });
  });

  it.each([
    ['an integer beyond 2^53', '{"a":9007199254740993}'],
    ['five decimals', '{"a":0.00001}'],
    ['a lone surrogate', '{"a":"\\ud800"}'],
    ['a lone surrogate in a name', '{"\\udc00":1}'],
    ['a string of more than 8,192 characters', JSON.stringify({ a: 'x'.repeat(8_193) })],
    [
      'more than 512 leaves',
      JSON.stringify(Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`k${i}`, 1]))),
    ],
    [
      'more than 64 KB',
      JSON.stringify(Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`k${i}`, 'x'.repeat(8_000)]))),
    ],
  ])('are marked as lossy: %s', (_what, text) => {
    expect(fillBags(leavesOf(text)).lossless).toBe(false);
  });

  it.each([
    ['no JSON', '{"a":', 'syntax'],
    ['not an object', '[1]', 'not_an_object'],
    ['a member twice', '{"a":1,"\\u0061":2}', 'duplicate_member'],
    ['17 levels', `${'{"a":'.repeat(17)}1${'}'.repeat(17)}`, 'too_deep'],
    ['100,000 levels', `${'['.repeat(100_000)}`, 'too_deep'],
    ['2,001 values', JSON.stringify({ a: new Array(2_000).fill(0) }), 'too_many_nodes'],
  ])('are rejected: %s', (_what, text, problem) => {
    expect(readArguments(text, none, new Set())).toEqual({ kind: 'rejected', problem });
  });

  it('have exactly the leaves of the value, whatever JSON it is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (value) => {
        const text = JSON.stringify(value);
        const expected = expectedLeaves(JSON.parse(text), '', false);
        expect(leavesOf(text)).toEqual(Object.keys(value).length === 0 ? [] : expected);
        expect(leavesOf(JSON.stringify(value, null, 2))).toEqual(leavesOf(text));
      }),
    );
  });

  it('give two objects the same pointers only for the same names', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        const [one, two] = [
          leavesOf(JSON.stringify({ [left]: 1 })),
          leavesOf(JSON.stringify({ [right]: 1 })),
        ];
        expect(one[0]?.pointer === two[0]?.pointer).toBe(left === right);
      }),
    );
  });
});

/** The same by another way: over the parsed value. */
function expectedLeaves(value: unknown, pointer: string, repeated: boolean): readonly Leaf[] {
  const leaf = (kind: Leaf['kind'], text: string): readonly Leaf[] => [{ pointer, kind, text, repeated }];
  if (value === null) return leaf('null', 'null');
  if (typeof value === 'string') return leaf('string', value);
  if (typeof value === 'number') return leaf('number', JSON.stringify(value));
  if (typeof value === 'boolean') return leaf('boolean', String(value));
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.map((element) => ['*', element])
    : Object.entries(value as object).map(([name, member]) => [
        name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('*', '~2'),
        member,
      ]);
  if (entries.length === 0) return leaf('empty', '');
  return entries.flatMap(([step, member]) =>
    expectedLeaves(member, `${pointer}/${step}`, repeated || Array.isArray(value)),
  );
}
