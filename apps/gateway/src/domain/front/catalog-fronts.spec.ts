import { publicName } from '@uar/catalog';
import { CatalogServer, type ItemListName } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { entry } from '../call-spec/entry.fixture.js';
import { caller, tenant } from '../call-spec/facts.fixture.js';
import type { EffectiveList, Listed } from '../catalog/effective-catalog.js';
import type { ListedItems } from '../item/item-desk.js';
import { catalogFronts } from './catalog-fronts.js';
import type { Fronts } from './front.js';

const definitions: Record<ItemListName, Record<string, string[]>> = {
  resources: {
    fs: ['{"uri":"file:///a","name":"a"}', '{"uri":"x:both"}'],
    git: ['{"uri":"git://r"}', '{"uri":"x:both"}', '{"uri":"ui://board/view.html"}'],
  },
  templates: {
    fs: ['{"uriTemplate":"file:///{path}"}', '{"uriTemplate":"y:{any}"}'],
    git: ['{"uriTemplate":"git://{ref}/x"}', '{"uriTemplate":"y:{all}"}'],
  },
  prompts: { fs: ['{"name":"sum_up"}', '{"name":"sum up"}'], git: ['{"name":"sum_up"}'] },
};

const noTools: EffectiveList = {
  kind: 'listed',
  entries: [],
  byName: new Map(),
  incomplete: [],
  catalogVersion: '1',
  digest: 'd',
};

class FrontWorld {
  asked: string[] = [];
  failing: ListedItems | undefined;
  tools: Listed = noTools;
  readonly fronts: Omit<Fronts, 'runtime'> = catalogFronts({
    effective: {
      list: () => this.tools,
      discoverable: () => this.tools,
      onChange: () => () => undefined,
    },
    catalog: {
      find: () => undefined,
      server: (_, name) =>
        ['fs', 'git'].includes(name)
          ? CatalogServer.parse({ tenant, name, host: 'mcp', status: 'ready', instances: [] })
          : undefined,
    },
    items: {
      list: async (_, list, only) => {
        this.asked.push(list);
        if (this.failing !== undefined) return this.failing;
        const servers = Object.entries(definitions[list])
          .filter(([server]) => only === undefined || only === server)
          .map(([server, own]) => ({ server, definitions: own }));
        return { kind: 'listed', servers, incomplete: [] };
      },
    },
  });
}

describe('/mcp', () => {
  const world = new FrontWorld();
  const { whole } = world.fronts;
  const resource = (id: string) => whole.item(caller, 'resource', id);
  const of = (server: string, id: string) => ({ kind: 'resource', server, id });

  it('lists items of all upstreams under names that are unique among them', async () => {
    const list = await whole.items(caller, 'resources');
    expect(list).toMatchObject({
      definitions: [
        '{"uri":"uar+fs+file:///a","name":"a"}',
        '{"uri":"uar+fs+x:both"}',
        '{"uri":"uar+git+git://r"}',
        '{"uri":"uar+git+x:both"}',
        '{"uri":"ui://uar+git+board/view.html"}',
      ],
    });
    expect(await whole.items(caller, 'prompts')).toMatchObject({
      definitions: [
        '{"name":"fs__sum_up"}',
        `{"name":"${publicName('fs', 'sum up')}"}`,
        '{"name":"git__sum_up"}',
      ],
    });
  });

  it('takes a unique URI without asking anybody', async () => {
    world.asked = [];
    expect(await resource('uar+fs+file:///b')).toEqual(of('fs', 'file:///b'));
    expect(await resource('ui://uar+git+board/view.html')).toEqual(of('git', 'ui://board/view.html'));
    expect(await resource('uar+fs+y:{any}')).toEqual(of('fs', 'y:{any}'));
    expect(world.asked).toEqual([]);
  });

  it('takes a URI of an upstream where no other could be meant', async () => {
    expect(await resource('git://r')).toEqual(of('git', 'git://r'));
    expect(await resource('ui://board/view.html')).toEqual(of('git', 'ui://board/view.html'));
    expect(await resource('x:both')).toEqual(of('', 'x:both'));
    expect(await resource('file:///other')).toEqual(of('fs', 'file:///other'));
    expect(await resource('git://main/x')).toEqual(of('git', 'git://main/x'));
    expect(await resource('git://{ref}/x')).toEqual(of('git', 'git://{ref}/x'));
    expect(await resource('y:1')).toEqual(of('', 'y:1'));
    expect(await resource('z:1')).toEqual(of('', 'z:1'));
    expect(await resource('uar+none+file:///a')).toEqual(of('', 'uar+none+file:///a'));
  });

  it('takes prompts by their public names alone', async () => {
    const prompt = (name: string) => whole.item(caller, 'prompt', name);
    expect(await prompt('fs__sum_up')).toEqual({ kind: 'prompt', server: 'fs', id: 'sum_up' });
    expect(await prompt(publicName('fs', 'sum up'))).toEqual({ kind: 'prompt', server: 'fs', id: 'sum up' });
    expect(await prompt('sum_up')).toEqual({ kind: 'prompt', server: '', id: 'sum_up' });
    expect(await prompt('none__sum_up')).toEqual({ kind: 'prompt', server: '', id: 'none__sum_up' });
  });

  it('answers in the form that was asked for', () => {
    const result = '{"contents":[{"uri":"file:///a","text":"t"}]}';
    const item = { kind: 'resource' as const, server: 'fs', id: 'file:///a' };
    expect(whole.shownContents(item, 'file:///a', result)).toBe(result);
    expect(whole.shownContents(item, 'uar+fs+file:///a', result)).toBe(
      '{"contents":[{"uri":"uar+fs+file:///a","text":"t"}]}',
    );
    expect(whole.shownUri('fs', 'file:///a')).toBe('uar+fs+file:///a');
  });

  it('says of lists what the desk says of them', async () => {
    const broken = new FrontWorld();
    broken.failing = { kind: 'denied', cause: 'run_expired' };
    expect(await broken.fronts.whole.items(caller, 'resources')).toEqual(broken.failing);
    expect(await broken.fronts.whole.item(caller, 'resource', 'git://r')).toEqual(of('', 'git://r'));
    broken.failing = { kind: 'unavailable' };
    for (const [kind, id] of [
      ['resource', 'git://r'],
      ['prompt', publicName('fs', 'sum up')],
    ] as const)
      expect(await broken.fronts.whole.item(caller, kind, id)).toEqual({ kind: 'unavailable' });
  });
});

describe('/mcp/servers/{server}', () => {
  const world = new FrontWorld();
  const front = world.fronts.ofUpstream('git');

  it('has the names of the upstream in both directions', async () => {
    expect(await front.items(caller, 'prompts')).toEqual({
      kind: 'listed',
      definitions: ['{"name":"sum_up"}'],
      incomplete: [],
    });
    expect(await front.item(caller, 'prompt', 'sum_up')).toEqual({
      kind: 'prompt',
      server: 'git',
      id: 'sum_up',
    });
    expect(front.shownUri('git', 'git://r')).toBe('git://r');
    const item = { kind: 'resource' as const, server: 'git', id: 'git://r' };
    expect(front.shownContents(item, 'git://r', '{"contents":[{"uri":"git://r"}]}')).toBe(
      '{"contents":[{"uri":"git://r"}]}',
    );
  });

  it('is there for whoever may discover a tool of it, or read something of it', async () => {
    const other = new FrontWorld();
    expect(await other.fronts.ofUpstream('fs').presence(caller)).toBe('there');
    expect(other.asked).toEqual(['resources']);
    expect(await other.fronts.ofUpstream('none').presence(caller)).toBe('absent');
    const tool = { entry: entry('read'), approval: 'never' as const };
    other.tools = { ...noTools, entries: [tool] };
    other.asked = [];
    expect(await other.fronts.ofUpstream('srv').presence(caller)).toBe('there');
    expect(other.asked).toEqual([]);
    other.tools = noTools;
    other.failing = { kind: 'unavailable' };
    expect(await other.fronts.ofUpstream('fs').presence(caller)).toBe('unavailable');
  });
});
