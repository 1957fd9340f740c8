import { publicName } from '@uar/catalog';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Listed } from '../ports.js';
import { lookAlikes } from './look-alikes.js';
import { readToolList } from './tool-list.js';

const listed = (definitions: string[], more: Partial<Listed> = {}): Listed => ({
  kind: 'listed',
  list_digest: 'd',
  definitions,
  duplicates: [],
  ...more,
});
const tool = (name: string) => JSON.stringify({ name });

describe('readToolList', () => {
  it('serves neither of two tools with one name, raw or public, and passes the host\u2019s own findings on', () => {
    const imitation = publicName('fs', 'a.b').slice('fs__'.length);
    const definitions = ['a', 'b', 'b', 'a.b', imitation].map(tool);
    const list = readToolList(
      'fs',
      listed([...definitions, '[]'], { incomplete: 'page limit', duplicates: ['c'] }),
    );
    expect(list.tools.map(({ definition }) => definition.name)).toEqual(['a']);
    expect(list.problems).toEqual([
      { reason: 'page limit', names: [] },
      { reason: '1 definitions are no tools', names: [] },
      { reason: '2 tools stand more than once', names: ['c', 'b'] },
      { reason: '2 tools share a public name', names: ['a.b', imitation] },
    ]);
  });

  it('gives every tool that it serves a name of its own, the same in every order', () => {
    const names = fc.array(
      fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), fc.constantFrom('a', 'b')),
      {
        maxLength: 30,
      },
    );
    const of = (raws: string[]) =>
      readToolList('fs', listed(raws.map(tool))).tools.map(
        ({ name, definition }) => `${name} ${definition.name}`,
      );
    fc.assert(
      fc.property(names, (raws) => {
        const forwards = of(raws);
        expect(new Set(forwards.map((line) => line.split(' ')[0])).size).toBe(forwards.length);
        expect(of(raws.toReversed()).toSorted()).toEqual(forwards.toSorted());
      }),
    );
  });
});

describe('lookAlikes', () => {
  it.each<[string[], string[]]>([
    [['copy', 'сору'], ['сору']],
    [['echo', 'ech\u200bo'], ['ech\u200bo']],
    [
      ['echo', 'еcho', 'ecно'],
      ['еcho', 'ecно'],
    ],
    [['echo', '\uff45cho'], ['\uff45cho']],
    [['читать', 'писать', '読む', 'echo'], []],
    [['Echo', 'echo'], []],
  ])('finds in %j the twins %j', (names, twins) => {
    expect([...lookAlikes(names)]).toEqual(twins);
  });
});
