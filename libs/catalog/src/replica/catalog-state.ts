import type { BodyOf, CatalogEntry, CatalogServer, HostKind, TenantId, catalogChanged } from '@uar/contracts';
import { LRUCache } from 'lru-cache';

export type CatalogChanges = NonNullable<BodyOf<typeof catalogChanged>['changes']>;

/** The catalog of one tenant, indexed by public name and by server name. */
interface Shelf {
  readonly entries: Map<string, CatalogEntry>;
  readonly servers: Map<string, CatalogServer>;
}

interface View {
  readonly entries: readonly CatalogEntry[];
  readonly servers: readonly CatalogServer[];
}

const tenantsRemembered = 1_000;
const noShelf: Shelf = { entries: new Map(), servers: new Map() };

/**
 * Entries and servers by tenant. What the native host serves is announced once, for whichever tenant, and belongs to
 * every tenant: it is kept apart and re-tenanted when a tenant first looks, so that one native tool is one Cedar
 * entity per tenant (`<tenant>/native/<raw>`), for tenants that no configuration names too.
 */
export class CatalogState {
  private readonly shelves = new Map<string, Shelf>();
  private readonly natives: Shelf = { entries: new Map(), servers: new Map() };
  private readonly nativesOf = new LRUCache<string, Shelf>({ max: tenantsRemembered });
  private readonly views = new LRUCache<string, View>({ max: tenantsRemembered });

  find(tenant: TenantId, name: string): CatalogEntry | undefined {
    return this.shelves.get(tenant)?.entries.get(name) ?? this.nativesFor(tenant).entries.get(name);
  }

  server(tenant: TenantId, name: string): CatalogServer | undefined {
    return this.shelves.get(tenant)?.servers.get(name) ?? this.nativesFor(tenant).servers.get(name);
  }

  entries(tenant: TenantId): readonly CatalogEntry[] {
    return this.view(tenant).entries;
  }

  servers(tenant: TenantId): readonly CatalogServer[] {
    return this.view(tenant).servers;
  }

  /** Each upserted row replaces the one of the same key, so applying a change twice changes nothing. */
  apply(changes: CatalogChanges): ReadonlySet<string> | 'all' {
    const touched = new Set<string>();
    let all = false;
    const touch = (tenant: string, native: boolean) => {
      if (native) all = true;
      else touched.add(tenant);
    };
    for (const key of changes.removed) touch(tenantOf(key), this.remove('entries', key));
    for (const key of changes.servers_removed) touch(tenantOf(key), this.remove('servers', key));
    for (const entry of changes.upserted) {
      this.shelfOf(entry.facts.tenant, entry.host).entries.set(entry.name, entry);
      touch(entry.facts.tenant, entry.host === 'native');
    }
    for (const server of changes.servers) {
      this.shelfOf(server.tenant, server.host).servers.set(server.name, server);
      touch(server.tenant, server.host === 'native');
    }
    for (const tenant of touched) this.views.delete(tenant);
    if (!all) return touched;
    this.views.clear();
    this.nativesOf.clear();
    return 'all';
  }

  /** True when what was removed belonged to the native host. */
  private remove(kind: 'entries' | 'servers', key: string): boolean {
    const tenant = tenantOf(key);
    const name = key.slice(tenant.length + 1);
    if (this.shelves.get(tenant)?.[kind].delete(name) === true) return false;
    return this.natives[kind].delete(name);
  }

  private shelfOf(tenant: string, host: HostKind): Shelf {
    if (host === 'native') return this.natives;
    const known = this.shelves.get(tenant);
    if (known !== undefined) return known;
    const made: Shelf = { entries: new Map(), servers: new Map() };
    this.shelves.set(tenant, made);
    return made;
  }

  private nativesFor(tenant: TenantId): Shelf {
    const known = this.nativesOf.get(tenant);
    if (known !== undefined) return known;
    const made = retenanted(this.natives, tenant);
    this.nativesOf.set(tenant, made);
    return made;
  }

  private view(tenant: TenantId): View {
    const known = this.views.get(tenant);
    if (known !== undefined) return known;
    const own = this.shelves.get(tenant) ?? noShelf;
    const natives = this.nativesFor(tenant);
    const made: View = {
      entries: [...natives.entries.values(), ...own.entries.values()].toSorted(byName),
      servers: [...natives.servers.values(), ...own.servers.values()].toSorted(byName),
    };
    this.views.set(tenant, made);
    return made;
  }
}

function retenanted(shared: Shelf, tenant: TenantId): Shelf {
  const entries = new Map<string, CatalogEntry>();
  for (const [name, entry] of shared.entries)
    entries.set(name, { ...entry, facts: { ...entry.facts, tenant } });
  const servers = new Map<string, CatalogServer>();
  for (const [name, server] of shared.servers) servers.set(name, { ...server, tenant });
  return { entries, servers };
}

function tenantOf(key: string): string {
  return key.slice(0, key.indexOf('/'));
}

function byName(one: { readonly name: string }, two: { readonly name: string }): number {
  return one.name < two.name ? -1 : Number(one.name > two.name);
}
