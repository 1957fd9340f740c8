import { publicName } from '@uar/catalog';
import type { Caller, CatalogEntry } from '@uar/contracts';
import { withMember } from '@uar/json-text';
import type { Catalog } from '../call/ports.js';
import type { EffectiveCatalog, EffectiveList } from '../catalog/effective-catalog.js';
import type { Front, Fronts, FrontTools, Presence } from './front.js';

interface CatalogFrontParts {
  readonly effective: EffectiveCatalog;
  readonly catalog: Pick<Catalog, 'find'>;
}

export function catalogFronts(parts: CatalogFrontParts): Omit<Fronts, 'runtime'> {
  return { whole: new WholeCatalog(parts), ofUpstream: (server) => new OneUpstream(server, parts) };
}

/** `/mcp`: the caller's whole effective catalog under public names. */
class WholeCatalog implements Front {
  readonly path = '/mcp';
  private readonly written = new WeakMap<EffectiveList, readonly string[]>();

  constructor(private readonly parts: CatalogFrontParts) {}

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

  /** Whoever may discover none of its tools must not learn of the upstream; what its run leaves of them is no secret. */
  async presence(caller: Caller): Promise<Presence> {
    const found = await this.parts.effective.discoverable(caller);
    if (found.kind !== 'listed') return found.kind === 'denied' ? 'absent' : 'unavailable';
    return found.entries.some(({ entry }) => this.has(entry)) ? 'there' : 'absent';
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

  private has({ host, facts }: CatalogEntry): boolean {
    return host === 'mcp' && facts.server === this.server;
  }
}

function available({ entries }: EffectiveList): CatalogEntry[] {
  return entries.flatMap(({ entry }) => (entry.state === 'available' ? [entry] : []));
}
