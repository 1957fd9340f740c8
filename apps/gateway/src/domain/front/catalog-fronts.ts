import { publicName } from '@uar/catalog';
import type { Caller, CatalogEntry, Item, ItemListName } from '@uar/contracts';
import { withMember } from '@uar/json-text';
import type { Catalog } from '../call/ports.js';
import type { EffectiveCatalog, EffectiveList } from '../catalog/effective-catalog.js';
import type { ItemDesk } from '../item/item-desk.js';
import type { Front, FrontItems, Fronts, FrontTools, Presence } from './front.js';
import { ofUniqueUri, uniqueContents, uniqueUri } from './item-names.js';
import { WholeItems } from './whole-items.js';

interface CatalogFrontParts {
  readonly effective: EffectiveCatalog;
  readonly catalog: Pick<Catalog, 'find' | 'server'>;
  readonly items: Pick<ItemDesk, 'list'>;
}

const itemLists: readonly ItemListName[] = ['resources', 'templates', 'prompts'];

export function catalogFronts(parts: CatalogFrontParts): Omit<Fronts, 'runtime'> {
  return { whole: new WholeCatalog(parts), ofUpstream: (server) => new OneUpstream(server, parts) };
}

/** `/mcp`: the caller's whole effective catalog under public names. */
class WholeCatalog implements Front {
  readonly path = '/mcp';
  private readonly written = new WeakMap<EffectiveList, readonly string[]>();

  private readonly wholeItems: WholeItems;

  constructor(private readonly parts: CatalogFrontParts) {
    this.wholeItems = new WholeItems(parts);
  }

  presence(): Presence {
    return 'there';
  }

  async tools(caller: Caller): Promise<FrontTools> {
    const list = await this.parts.effective.list(caller);
    if (list.kind !== 'listed') return list;
    let definitions = this.written.get(list);
    if (definitions === undefined) {
      definitions = available(list).map((entry) =>
        withMember(entry.definition_json, 'name', JSON.stringify(entry.name)),
      );
      this.written.set(list, definitions);
    }
    return { kind: 'listed', definitions };
  }

  publicName(_caller: Caller, name: string): string {
    return name;
  }

  items(caller: Caller, list: ItemListName): Promise<FrontItems> {
    return this.wholeItems.list(caller, list);
  }

  item(caller: Caller, kind: Item['kind'], id: string): ReturnType<Front['item']> {
    return this.wholeItems.find(caller, kind, id);
  }

  shows(): boolean {
    return true;
  }

  shownUri(server: string, uri: string): string {
    return uniqueUri(server, uri);
  }

  shownContents({ server }: Item, uri: string, resultJson: string): string {
    return ofUniqueUri(uri)?.server === server ? uniqueContents(server, resultJson) : resultJson;
  }
}

/** `/mcp/servers/{server}`: one upstream under its own raw names. A call is proposed under its public name, as it is at `/mcp`. */
class OneUpstream implements Front {
  readonly path: string;

  constructor(
    private readonly server: string,
    private readonly parts: CatalogFrontParts,
  ) {
    this.path = `/mcp/servers/${server}`;
  }

  /** Whoever may discover none of its tools and read nothing of it must not learn of the upstream; what its run leaves of the tools is no secret. */
  async presence(caller: Caller): Promise<Presence> {
    const found = await this.parts.effective.discoverable(caller);
    if (found.kind !== 'listed') return found.kind === 'denied' ? 'absent' : 'unavailable';
    if (found.entries.some(({ entry }) => this.has(entry))) return 'there';
    return this.presenceOfItems(caller);
  }

  async tools(caller: Caller): Promise<FrontTools> {
    const list = await this.parts.effective.list(caller);
    if (list.kind !== 'listed') return list;
    const own = available(list).filter((entry) => this.has(entry));
    return { kind: 'listed', definitions: own.map((entry) => entry.definition_json) };
  }

  publicName({ principal: { tenant } }: Caller, name: string): string {
    const meant = publicName(this.server, name);
    const entry = this.parts.catalog.find(tenant, meant);
    // Another raw name may stand behind it: one that looks like this one changed.
    if (entry !== undefined && this.has(entry) && entry.facts.raw_name === name) return meant;
    return `${this.server}/${name}`;
  }

  async items(caller: Caller, list: ItemListName): Promise<FrontItems> {
    const listed = await this.parts.items.list(caller, list, this.server);
    if (listed.kind !== 'listed') return listed;
    const definitions = listed.servers.flatMap((own) => own.definitions);
    return { kind: 'listed', definitions, incomplete: listed.incomplete };
  }

  item(_caller: Caller, kind: Item['kind'], id: string): Promise<Item> {
    return Promise.resolve({ kind, server: this.server, id });
  }

  shows(server: string): boolean {
    return server === this.server;
  }

  shownUri(_server: string, uri: string): string {
    return uri;
  }

  shownContents(_item: Item, _uri: string, resultJson: string): string {
    return resultJson;
  }

  private async presenceOfItems(caller: Caller): Promise<Presence> {
    for (const list of itemLists) {
      const listed = await this.items(caller, list);
      if (listed.kind === 'unavailable') return 'unavailable';
      if (listed.kind === 'listed' && listed.definitions.length > 0) return 'there';
    }
    return 'absent';
  }

  private has({ host, facts }: CatalogEntry): boolean {
    return host === 'mcp' && facts.server === this.server;
  }
}

function available({ entries }: EffectiveList): CatalogEntry[] {
  return entries.flatMap(({ entry }) => (entry.state === 'available' ? [entry] : []));
}
