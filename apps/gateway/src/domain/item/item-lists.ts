import { itemId } from '@uar/catalog';
import type { Caller, Item, ItemListName } from '@uar/contracts';
import type { Clock } from '../call/ports.js';
import { leavesServer } from '../run/effective-run.js';
import { inRun, type Runs } from '../run/runs.js';
import type { IncompleteItems, ItemDesk, ListedItems, ServerItems } from './item-desk.js';
import type { ItemHosts, ItemServers, ItemSights } from './ports.js';
import { ListBudget, UpstreamList } from './upstream-list.js';

interface ListParts {
  readonly runs: Runs;
  readonly catalog: ItemServers;
  readonly hosts: ItemHosts;
  readonly sights: ItemSights;
  readonly clock: Pick<Clock, 'now'>;
}

/** What upstreams offer besides tools, asked of their hosts anew each time, cut to what the caller may read. */
export class ItemLists implements Pick<ItemDesk, 'list' | 'mayRead'> {
  private readonly upstreams: UpstreamList;

  constructor(private readonly parts: ListParts) {
    this.upstreams = new UpstreamList(parts.hosts, parts.clock);
  }

  async list(caller: Caller, list: ItemListName, server?: string): Promise<ListedItems> {
    const met = await this.parts.runs.enter(caller);
    if (met.kind === 'denied') return met;
    if (met.kind === 'unavailable' || !this.parts.catalog.ready) return { kind: 'unavailable' };
    const asked = this.parts.catalog
      .servers(caller.principal.tenant)
      .filter((it) => it.host === 'mcp' && it.status !== 'disabled' && (server ?? it.name) === it.name)
      .filter((it) => leavesServer(met.frame.effective, it.name))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const budget = new ListBudget();
    const read = await Promise.all(asked.map((it) => this.upstreams.read(it, list, budget)));
    const incomplete = read.flatMap((it): IncompleteItems[] =>
      it.problem === undefined ? [] : [{ server: it.server, reason: it.problem }],
    );
    return this.visible(inRun(caller, met.frame), list, { servers: read, incomplete });
  }

  async mayRead(caller: Caller, item: Item): Promise<boolean> {
    const met = await this.parts.runs.enter(caller);
    if (met.kind !== 'entered' || !leavesServer(met.frame.effective, item.server)) return false;
    const readable = await this.parts.sights.readable(inRun(caller, met.frame), [item]);
    return !('kind' in readable) && readable[0] === true;
  }

  private async visible(
    caller: Caller,
    list: ItemListName,
    { servers, incomplete }: { servers: readonly ServerItems[]; incomplete: readonly IncompleteItems[] },
  ): Promise<ListedItems> {
    const named = servers.map(({ server, definitions }) => ({
      server,
      items: definitions.flatMap((definition) => {
        const id = itemId(definition, list);
        return id === undefined ? [] : [{ definition, item: { kind: kindOf(list), server, id } }];
      }),
    }));
    const readable = await this.parts.sights.readable(
      caller,
      named.flatMap(({ items }) => items.map(({ item }) => item)),
    );
    if ('kind' in readable) return { kind: 'unavailable' };
    let at = 0;
    const left = named.map(({ server, items }) => ({
      server,
      definitions: items.flatMap(({ definition }) => (readable[at++] === true ? [definition] : [])),
    }));
    return { kind: 'listed', servers: left, incomplete };
  }
}

function kindOf(list: ItemListName): Item['kind'] {
  return list === 'prompts' ? 'prompt' : 'resource';
}
