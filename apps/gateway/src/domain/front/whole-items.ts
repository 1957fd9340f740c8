import type { Caller, Item, ItemListName } from '@uar/contracts';
import { itemId, publicName } from '@uar/catalog';
import type { Catalog } from '../call/ports.js';
import type { ItemDesk } from '../item/item-desk.js';
import type { Front, FrontItems } from './front.js';
import { mayExpandTo, ofPublicName, ofUniqueUri, uniqueDefinition } from './item-names.js';

interface WholeItemParts {
  readonly items: Pick<ItemDesk, 'list'>;
  readonly catalog: Pick<Catalog, 'server'>;
}

/** What is meant, in its upstream's words; undefined: nothing, or more than one thing. */
type Found = Pick<Item, 'server' | 'id'> | 'unavailable' | undefined;

/** No upstream has this name. */
const nobody = '';

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

  async find(caller: Caller, kind: Item['kind'], id: string): ReturnType<Front['item']> {
    const found = await (kind === 'prompt' ? this.prompt(caller, id) : this.resource(caller, id));
    return found === 'unavailable' ? { kind: found } : { kind, ...(found ?? { server: nobody, id }) };
  }

  private async prompt(caller: Caller, name: string): Promise<Found> {
    const named = ofPublicName(name);
    if (named === undefined || !this.isUpstream(caller, named.server)) return undefined;
    const { server, id } = named;
    if (id !== undefined) return { server, id };
    const wanted = { list: 'prompts', server } as const;
    const owners = await this.owners(caller, wanted, (raw) => publicName(server, raw) === name);
    if (owners === 'unavailable') return owners;
    const [raw, ...others] = new Set(owners[0]?.ids);
    return raw === undefined || others.length > 0 ? undefined : { server, id: raw };
  }

  /** A URI as an upstream has it is meant where no other upstream that the caller knows of could mean it. */
  private async resource(caller: Caller, uri: string): Promise<Found> {
    const unique = ofUniqueUri(uri);
    if (unique !== undefined && this.isUpstream(caller, unique.server))
      return { server: unique.server, id: unique.uri };
    const listed = await this.owners(caller, { list: 'resources' }, (id) => id === uri);
    if (listed === 'unavailable') return listed;
    const owners =
      listed.length > 0
        ? listed
        : await this.owners(caller, { list: 'templates' }, (id) => id === uri || mayExpandTo(id, uri));
    if (owners === 'unavailable') return owners;
    const [owner, ...others] = owners;
    return owner === undefined || others.length > 0 ? undefined : { server: owner.server, id: uri };
  }

  /** None for whom the run lets list nothing. */
  private async owners(
    caller: Caller,
    { list, server: only }: { readonly list: ItemListName; readonly server?: string },
    isMeant: (id: string) => boolean,
  ): Promise<readonly { readonly server: string; readonly ids: readonly string[] }[] | 'unavailable'> {
    const listed = await this.parts.items.list(caller, list, only);
    if (listed.kind === 'unavailable') return listed.kind;
    if (listed.kind === 'denied') return [];
    return listed.servers
      .map(({ server, definitions }) => ({
        server,
        ids: definitions
          .map((definition) => itemId(definition, list))
          .filter((id) => id !== undefined)
          .filter(isMeant),
      }))
      .filter(({ ids }) => ids.length > 0);
  }

  private isUpstream({ principal: { tenant } }: Caller, server: string): boolean {
    return this.parts.catalog.server(tenant, server)?.host === 'mcp';
  }
}
