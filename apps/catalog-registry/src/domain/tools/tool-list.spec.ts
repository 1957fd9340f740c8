import { publicName } from '@uar/catalog';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { turnsOfTheLoop } from '../../adapters/turns-of-the-loop.js';
import type { Listed, Pause } from '../ports.js';
import { readToolList, type ToolList } from './tool-list.js';

const listed = (definitions: string[], more: Partial<Listed> = {}): Listed => ({
  kind: 'listed',
  list_digest: 'd',
  definitions,
  duplicates: [],
  ...more,
});
const tool = (name: string) => JSON.stringify({ name });
const read = (given: Listed, pause: Pause = () => undefined): Promise<ToolList> =>
  readToolList('fs', given, { pause });

describe('readToolList', () => {
  it('serves neither of two tools with one name, raw or public, and passes the host\u2019s own findings on', async () => {
    const imitation = publicName('fs', 'a.b').slice('fs__'.length);
    const definitions = ['a', 'b', 'b', 'a.b', imitation].map(tool);
    const list = await read(listed([...definitions, '[]'], { incomplete: 'page limit', duplicates: ['c'] }));
    expect(list.tools.map(({ definition }) => definition.name)).toEqual(['a']);
    expect(list.problems).toEqual([
      { reason: 'page limit', names: [] },
      { reason: '1 definitions are no tools', names: [] },
      { reason: '2 tools stand more than once', names: ['c', 'b'] },
      { reason: '2 tools share a public name', names: ['a.b', imitation] },
    ]);
  });

  it('gives every tool that it serves a name of its own, the same in every order', async () => {
    const names = fc.array(
      fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), fc.constantFrom('a', 'b')),
      {
        maxLength: 30,
      },
    );
    const of = async (raws: string[]) =>
      (await read(listed(raws.map(tool)))).tools.map(({ name, definition }) => `${name} ${definition.name}`);
    await fc.assert(
      fc.asyncProperty(names, async (raws) => {
        const forwards = await of(raws);
        expect(new Set(forwards.map((line) => line.split(' ')[0])).size).toBe(forwards.length);
        expect((await of(raws.toReversed())).toSorted()).toEqual(forwards.toSorted());
      }),
    );
  });

  it('lets other work run while it walks a huge list, and walks it whole (O2)', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `property_${index}`,
        { type: 'string', description: 'what it is good for \u00e9 and \u20ac' },
      ]),
    );
    const definitions = Array.from({ length: 5_000 }, (_, index) =>
      JSON.stringify({ name: `t${index}`, description: 'd', inputSchema: { type: 'object', properties } }),
    );
    const bytes = definitions.reduce((sum, text) => sum + text.length, 0);
    expect(bytes).toBeGreaterThan(7_000_000);
    const steps: number[] = [];
    // Time of the processor, not of the wall: what else the machine does is not measured.
    let before = process.cpuUsage();
    const turns = turnsOfTheLoop();
    const pause = () => {
      const turn = turns();
      if (turn === undefined) return undefined;
      const { user, system } = process.cpuUsage(before);
      steps.push((user + system) / 1_000);
      return turn.then(() => {
        before = process.cpuUsage();
      });
    };
    const list = await read(listed(definitions), pause);
    expect(list.tools.length).toBe(5_000);
    expect(list.tools.every(({ flags }) => flags.length === 0)).toBe(true);
    expect(steps.length).toBeGreaterThan(20);
    expect(Math.max(...steps)).toBeLessThan(100);
  }, 60_000);
});
