import {
  CatalogServer,
  type AnswerOf,
  type AskOf,
  type InstanceId,
  type Item,
  type listItems,
} from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import type { Unavailable } from '../call/ports.js';
import { HandClock, caller, runId, tenant } from '../call-spec/facts.fixture.js';
import { effectiveRun, wholeRun } from '../run/effective-run.js';
import type { RunDenial, Runs } from '../run/runs.js';
import { ItemLists } from './item-lists.js';
import type { ItemHosts, ItemServers, ItemSights } from './ports.js';

type Ask = AskOf<typeof listItems>;
type Answer = AnswerOf<typeof listItems> | Unavailable;

const a = 'a'.repeat(16);
const b = 'b'.repeat(16);
const resource = (uri: string) => JSON.stringify({ uri, name: uri });
const listed = (definitions: string[], next?: number): Answer => ({
  kind: 'listed',
  list_digest: 'd',
  definitions,
  ...(next === undefined ? {} : { next }),
});

/** Two upstreams with one resource each, unless a spec says otherwise. */
class ListWorld implements ItemHosts, ItemSights, ItemServers {
  readonly clock = new HandClock();
  ready = true;
  instances: Record<string, string[]> = { fs: [a], git: [a] };
  answer: (ask: Ask, at: string) => Answer | Promise<Answer> = ({ server }) =>
    listed([resource(`file:///${server}`)]);
  hidden: readonly string[] = [];
  pdp = true;
  effective = wholeRun;
  denied: RunDenial | undefined;
  readonly asks: { ask: Ask; at: string; withinMs: number }[] = [];
  readonly seen: Item[] = [];

  servers() {
    return Object.entries(this.instances).map(([name, instances]) =>
      CatalogServer.parse({
        ...{ tenant, name, host: name === 'native' ? 'native' : 'mcp', instances },
        status: instances.length > 0 ? 'ready' : 'connecting',
      }),
    );
  }

  async page(at: InstanceId, ask: Ask, withinMs: number): Promise<Answer> {
    this.asks.push({ ask, at, withinMs });
    return this.answer(ask, at);
  }

  async readable(_: unknown, items: readonly Item[]) {
    this.seen.push(...items);
    if (!this.pdp) return { kind: 'unavailable' as const, cause: 'pdp' };
    return items.map(({ id }) => !this.hidden.includes(id));
  }

  list(list: Ask['list'] = 'resources', server?: string) {
    const runs = { enter: () => this.entered() } as unknown as Runs;
    return new ItemLists({ runs, catalog: this, hosts: this, sights: this, clock: this.clock }).list(
      caller,
      list,
      server,
    );
  }

  private entered(): ReturnType<Runs['enter']> {
    if (this.denied !== undefined) return { kind: 'denied', cause: this.denied };
    return { kind: 'entered', frame: { runId, effective: this.effective } };
  }
}

async function shown(world: ListWorld): Promise<Record<string, number> | string> {
  const list = await world.list();
  if (list.kind !== 'listed') return list.kind;
  return Object.fromEntries(list.servers.map(({ server, definitions }) => [server, definitions.length]));
}

describe('a list of items', () => {
  it('has what every upstream of the tenant lists, as it was sent', async () => {
    const world = new ListWorld();
    world.instances = { git: [a], fs: [a], native: [a] };
    const spaced = '{ "uri" : "file:///x" , "size":1e3}';
    world.answer = ({ server }) => listed(server === 'fs' ? [spaced] : [resource('git://y')]);
    expect(await world.list()).toEqual({
      kind: 'listed',
      servers: [
        { server: 'fs', definitions: [spaced] },
        { server: 'git', definitions: [resource('git://y')] },
      ],
      incomplete: [],
    });
    expect(world.seen).toEqual([
      { kind: 'resource', server: 'fs', id: 'file:///x' },
      { kind: 'resource', server: 'git', id: 'git://y' },
    ]);
  });

  it('leaves out what may not be read, and what nobody could ask for', async () => {
    const world = new ListWorld();
    world.instances = { fs: [a] };
    world.answer = () =>
      listed([
        resource('f:1'),
        resource('f:2'),
        '{"name":"nameless"}',
        '{"uri":7}',
        resource(''),
        '7',
        resource('f'.repeat(2_049)),
        resource('ü'.repeat(1_025)),
      ]);
    world.hidden = ['f:1'];
    expect(await world.list()).toMatchObject({ servers: [{ definitions: [resource('f:2')] }] });
  });

  it('names templates by their template and prompts by their name', async () => {
    const world = new ListWorld();
    world.answer = ({ list }) => listed([list === 'prompts' ? '{"name":"p"}' : '{"uriTemplate":"f:{x}"}']);
    await world.list('templates', 'fs');
    await world.list('prompts', 'git');
    expect(world.seen).toEqual([
      { kind: 'resource', server: 'fs', id: 'f:{x}' },
      { kind: 'prompt', server: 'git', id: 'p' },
    ]);
  });

  it('is asked of one upstream alone where one is meant, and of those that the run leaves', async () => {
    const world = new ListWorld();
    await world.list('resources', 'git');
    world.effective = effectiveRun([{ mcp_servers: { mode: 'selected', ids: ['fs'] } }]);
    await world.list();
    expect(world.asks.map(({ ask }) => ask.server)).toEqual(['git', 'fs']);
  });

  it('reads page after page of the same list', async () => {
    const world = new ListWorld();
    world.instances = { fs: [a] };
    world.answer = ({ from }) =>
      from === undefined ? listed([resource('f:0')], 1) : listed([resource(`f:${from.start}`)]);
    expect(await shown(world)).toEqual({ fs: 2 });
    expect(world.asks[1]?.ask.from).toEqual({ list_digest: 'd', start: 1 });
  });

  it('begins anew where the list changed meanwhile, and elsewhere where the host serves it no more', async () => {
    const world = new ListWorld();
    world.instances = { fs: [a, b] };
    const answers: Answer[] = [
      listed([resource('f:old')], 1),
      { kind: 'stale' },
      { kind: 'not_owner' },
      listed([resource('f:new')]),
    ];
    world.answer = () => answers[world.asks.length - 1] ?? { kind: 'stale' };
    expect(await world.list()).toMatchObject({
      servers: [{ definitions: [resource('f:new')] }],
      incomplete: [],
    });
    expect(world.asks.map(({ at }) => at)).toEqual([a, a, a, b]);
  });

  it('is incomplete by an upstream that does not answer, and whole in the others', async () => {
    const world = new ListWorld();
    world.instances = { down: [], fs: [a], slow: [a] };
    world.answer = async ({ server }) => {
      if (server === 'fs') return listed([resource('f:1')]);
      await world.clock.advance(5_000);
      return { kind: 'unavailable', cause: 'host_timed_out' };
    };
    expect(await world.list()).toMatchObject({
      servers: [
        { server: 'down', definitions: [] },
        { server: 'fs', definitions: [resource('f:1')] },
        { server: 'slow', definitions: [] },
      ],
      incomplete: [
        { server: 'down', reason: 'the server is connecting' },
        { server: 'slow', reason: 'its host does not answer' },
      ],
    });
  });

  it('asks no longer than its time, however often an upstream changes its list', async () => {
    const world = new ListWorld();
    world.instances = { fs: [a, b] };
    world.answer = async () => {
      await world.clock.advance(1_500);
      return { kind: 'stale' };
    };
    expect(await world.list()).toMatchObject({
      incomplete: [{ server: 'fs', reason: 'its list changes all the time' }],
    });
    expect(world.asks.map(({ withinMs }) => withinMs)).toEqual([5_000, 3_500, 2_000, 500]);
  });

  it('asks no longer than its time, however many pages a list has', async () => {
    const world = new ListWorld();
    world.instances = { fs: [a] };
    world.answer = async ({ from }) => {
      await world.clock.advance(2_000);
      const start = from?.start ?? 0;
      return listed([resource(`f:${start}`)], start < 2 ? start + 1 : undefined);
    };
    expect(await shown(world)).toEqual({ fs: 3 });
    expect(world.asks.map(({ withinMs }) => withinMs)).toEqual([5_000, 3_000, 1_000]);
  });

  it('is cut where upstreams list without end', async () => {
    const world = new ListWorld();
    world.instances = { fs: [a] };
    const page = Array.from({ length: 3_000 }, (_, index) => resource(`f:${index}`));
    world.answer = ({ from }) => listed(page, (from?.start ?? 0) + page.length);
    const list = await world.list();
    expect(list).toMatchObject({ incomplete: [{ server: 'fs', reason: 'its list is too long' }] });
    expect(await shown(world)).toEqual({ fs: 10_000 });
    world.answer = ({ from }) =>
      listed([JSON.stringify({ uri: 'f:1', text: 'f'.repeat(5_000_000) })], (from?.start ?? 0) + 1);
    expect(await shown(world)).toEqual({ fs: 1 });
  });

  it('is none where the run is over, the catalog unread, or the PDP away', async () => {
    const world = new ListWorld();
    world.pdp = false;
    expect(await shown(world)).toBe('unavailable');
    world.ready = false;
    expect(await shown(world)).toBe('unavailable');
    world.denied = 'run_expired';
    expect(await world.list()).toEqual({ kind: 'denied', cause: 'run_expired' });
  });
});
