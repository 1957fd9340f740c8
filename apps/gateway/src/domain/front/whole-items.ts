import type { Caller, Item, ItemListName } from '@uar/contracts';
import { publicName } from '@uar/catalog';
import type { Catalog } from '../call/ports.js';
import { idOf } from '../item/definition.js';
import type { ItemDesk } from '../item/item-desk.js';
import type { FrontItems } from './front.js';
import { mayExpandTo, ofPublicName, ofUniqueUri, uniqueDefinition } from './item-names.js';

interface WholeItemParts {
  readonly items: Pick<ItemDesk, 'list'>;
  readonly catalog: Pick<Catalog, 'server'>;
}

/** The items of all upstreams under names that are unique among them. */
export class WholeItems {
  constructor(private readonly parts: WholeItemParts) {}

  async list(caller: Caller, list: ItemListName): Promise<FrontItems> {
    const listed = await this.parts.items.list(caller, list);
    if (listed.kind !== 'listed') return listed;
    const definitions = listed.servers.flatMap(({ server, definitions: own }) =>
      own.map((definition) => uniqueDefinition(server, definition, list)),
    );
    return { kind: 'listed', definitions, incomplete: listed.incomplete };
  }

  async find(caller: Caller, kind: Item['kind'], id: string): Promise<Item | undefined> {
    return kind === 'prompt' ? this.prompt(caller, id) : this.resource(caller, id);
  }

  private async prompt(caller: Caller, name: string): Promise<Item | undefined> {
    const named = ofPublicName(name);
    if (named === undefined || !this.isUpstream(caller, named.server)) return undefined;
    const { server, id } = named;
    if (id !== undefined) return { kind: 'prompt', server, id };
    const listed = await this.owners(
      caller,
      { list: 'prompts', server },
      (raw) => publicName(server, raw) === name,
    );
    const [raw, ...others] = new Set(listed[0]?.ids);
    return raw === undefined || others.length > 0 ? undefined : { kind: 'prompt', server, id: raw };
  }

  /** A URI as an upstream has it is meant where no other upstream that the caller knows of could mean it. */
  private async resource(caller: Caller, uri: string): Promise<Item | undefined> {
    const unique = ofUniqueUri(uri);
    if (unique !== undefined && this.isUpstream(caller, unique.server))
      return { kind: 'resource', server: unique.server, id: unique.uri };
    const listed = await this.owners(caller, { list: 'resources' }, (id) => id === uri);
    const owners =
      listed.length > 0
        ? listed
        : await this.owners(caller, { list: 'templates' }, (id) => id === uri || mayExpandTo(id, uri));
    const [owner, ...others] = owners;
    return owner === undefined || others.length > 0
      ? undefined
      : { kind: 'resource', server: owner.server, id: uri };
  }

  private async owners(
    caller: Caller,
    { list, server: only }: { readonly list: ItemListName; readonly server?: string },
    isMeant: (id: string) => boolean,
  ): Promise<readonly { readonly server: string; readonly ids: readonly string[] }[]> {
    const listed = await this.parts.items.list(caller, list, only);
    if (listed.kind !== 'listed') return [];
    return listed.servers
      .map(({ server, definitions }) => ({
        server,
        ids: definitions
          .map((definition) => idOf(definition, list))
          .filter((id) => id !== undefined)
          .filter(isMeant),
      }))
      .filter(({ ids }) => ids.length > 0);
  }

  private isUpstream({ principal: { tenant } }: Caller, server: string): boolean {
    return this.parts.catalog.server(tenant, server)?.host === 'mcp';
  }
}
