import { hash } from 'node:crypto';
import type { Bus } from '@uar/bus';
import type { CatalogReplica } from '@uar/catalog';
import {
  policiesChanged,
  type Caller,
  type CatalogEntry,
  type CatalogServer,
  type Principal,
} from '@uar/contracts';
import { LRUCache } from 'lru-cache';
import type {
  EffectiveCatalog,
  EffectiveEntry,
  EffectiveList,
  IncompleteServer,
  Listed,
} from '../domain/catalog/effective-catalog.js';
import type { BusPdp } from './bus/pdp.js';

interface Known {
  readonly list: EffectiveList;
  readonly policyEpoch: number;
  readonly entries: readonly CatalogEntry[];
  readonly servers: readonly CatalogServer[];
  readonly until: number;
}

const mostLists = 1_000;
/** Policies may read the time: a list is asked for again at the latest after this long. */
const freshMs = 30_000;

/** What each caller may discover, asked of the PDP when catalog or policy changed, remembered otherwise. */
export class EffectiveLists implements EffectiveCatalog {
  private readonly known = new LRUCache<string, Known>({ max: mostLists });
  private readonly asking = new Map<string, Promise<Listed>>();
  private readonly policyEpochs = new Map<string, number>();
  private readonly digests = new WeakMap<Principal, string>();
  private readonly listeners = new Set<(tenant: string | undefined) => void>();
  private readonly ends: readonly (() => void)[];

  private readonly replica: CatalogReplica;
  private readonly pdp: BusPdp;
  private readonly now: () => number;

  constructor(parts: { bus: Bus; replica: CatalogReplica; pdp: BusPdp; now: () => number }) {
    const { bus, replica } = parts;
    this.replica = replica;
    this.pdp = parts.pdp;
    this.now = parts.now;
    this.ends = [
      bus.listen(policiesChanged, ({ tenant }) => {
        this.policyEpochs.set(tenant, this.epochOf(tenant) + 1);
        this.tell([tenant]);
      }),
      replica.onChange(({ tenants }) => this.tell(tenants === 'all' ? [undefined] : [...tenants])),
    ];
  }

  list(caller: Caller): Listed | Promise<Listed> {
    const key = this.keyOf(caller);
    const known = this.known.get(key);
    if (known !== undefined && this.isFresh(known, caller)) return known.list;
    const running = this.asking.get(key);
    if (running !== undefined) return running;
    const asked = this.ask(caller, key).finally(() => this.asking.delete(key));
    this.asking.set(key, asked);
    return asked;
  }

  onChange(listener: (tenant: string | undefined) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    for (const end of this.ends) end();
    this.listeners.clear();
  }

  private async ask(caller: Caller, key: string): Promise<Listed> {
    const { tenant } = caller.principal;
    if (!this.replica.ready) return { kind: 'unavailable' };
    const policyEpoch = this.epochOf(tenant);
    const entries = this.replica.entries(tenant);
    const servers = this.replica.servers(tenant);
    const catalogVersion = this.replica.version;
    const found = await this.pdp.discover(
      caller,
      entries.map(({ facts }) => facts),
    );
    if (found.kind === 'unavailable') return found;
    const visible = entries.flatMap((entry, index): EffectiveEntry[] => {
      const verdict = found.tools[index];
      return verdict?.kind === 'visible' ? [{ entry, approval: verdict.approval }] : [];
    });
    const made = listOf(visible, servers, catalogVersion);
    const before = this.known.get(key)?.list;
    const list = before?.digest === made.digest ? before : made;
    this.known.set(key, { list, policyEpoch, entries, servers, until: this.now() + freshMs });
    return list;
  }

  private isFresh(known: Known, { principal: { tenant } }: Caller): boolean {
    return (
      known.until > this.now() &&
      known.policyEpoch === this.epochOf(tenant) &&
      known.entries === this.replica.entries(tenant) &&
      known.servers === this.replica.servers(tenant)
    );
  }

  private epochOf(tenant: string): number {
    return this.policyEpochs.get(tenant) ?? 0;
  }

  private keyOf({ principal, channel, ip, run_id }: Caller): string {
    let digest = this.digests.get(principal);
    if (digest === undefined) {
      // A token renewed for the same principal sees the same list.
      digest = hash('sha256', JSON.stringify({ ...principal, expires_at: 0 }), 'base64');
      this.digests.set(principal, digest);
    }
    return `${digest} ${channel} ${ip ?? ''} ${run_id}`;
  }

  private tell(tenants: readonly (string | undefined)[]): void {
    for (const tenant of tenants) for (const listener of this.listeners) listener(tenant);
  }
}

function listOf(
  entries: readonly EffectiveEntry[],
  servers: readonly CatalogServer[],
  catalogVersion: string,
): EffectiveList {
  const incomplete = servers.flatMap(incompleteOf);
  const shown = entries.map(({ entry, approval }) => [
    entry.name,
    entry.facts.definition_digest,
    entry.state,
    entry.facts.risk,
    entry.facts.capabilities,
    approval,
  ]);
  return {
    kind: 'listed',
    entries,
    byName: new Map(entries.map((it) => [it.entry.name, it])),
    incomplete,
    catalogVersion,
    digest: hash('sha256', JSON.stringify([catalogVersion, shown, incomplete]), 'base64url').slice(0, 22),
  };
}

function incompleteOf({ name, status, incomplete }: CatalogServer): IncompleteServer[] {
  if (status === 'disabled') return [];
  if (incomplete !== undefined) return [{ server: name, state: status, reason: incomplete }];
  return status === 'ready' ? [] : [{ server: name, state: status, reason: `the server is ${status}` }];
}
