import { hash } from 'node:crypto';
import type { Bus } from '@uar/bus';
import type { CatalogReplica } from '@uar/catalog';
import { policiesChanged, type Caller, type CatalogEntry, type CatalogServer } from '@uar/contracts';
import { LRUCache } from 'lru-cache';
import type {
  EffectiveCatalog,
  EffectiveEntry,
  EffectiveList,
  IncompleteServer,
  ListChange,
  Listed,
} from '../domain/catalog/effective-catalog.js';
import { leaves, type EffectiveRun } from '../domain/run/effective-run.js';
import type { RunStore, ScopeBook } from '../domain/run/ports.js';
import { inRun, type Entered, type Runs } from '../domain/run/runs.js';
import type { BusPdp } from './bus/pdp.js';
import { CallerKeys } from './caller-keys.js';

interface ListParts {
  readonly bus: Bus;
  readonly replica: CatalogReplica;
  readonly pdp: BusPdp;
  readonly runs: Runs;
  readonly changes: Pick<ScopeBook, 'onChange'>;
  readonly runChanges: Pick<RunStore, 'onChange'>;
  readonly now: () => number;
}

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

/** What each caller may discover, asked of the PDP when catalog or policy changed, remembered otherwise; cut to its run. */
export class EffectiveLists implements EffectiveCatalog {
  private readonly known = new LRUCache<string, Known>({ max: mostLists });
  private readonly asking = new Map<string, Promise<Listed>>();
  private readonly policyEpochs = new Map<string, number>();
  private readonly callers = new CallerKeys();
  private readonly cuts = new WeakMap<EffectiveList, WeakMap<EffectiveRun, EffectiveList>>();
  private readonly listeners = new Set<(change: ListChange) => void>();
  private readonly ends: readonly (() => void)[];

  private readonly replica: CatalogReplica;
  private readonly pdp: BusPdp;
  private readonly runs: Runs;
  private readonly now: () => number;

  constructor({ bus, replica, pdp, runs, changes, runChanges, now }: ListParts) {
    this.replica = replica;
    this.pdp = pdp;
    this.runs = runs;
    this.now = now;
    this.ends = [
      bus.listen(policiesChanged, ({ tenant }) => {
        this.policyEpochs.set(tenant, this.epochOf(tenant) + 1);
        this.tell([{ tenant }]);
      }),
      replica.onChange(({ tenants }) =>
        this.tell(tenants === 'all' ? [{}] : [...tenants].map((tenant) => ({ tenant }))),
      ),
      changes.onChange((tenant) => this.tell([{ tenant }])),
      runChanges.onChange((tenant, runId) => this.tell([{ tenant, runId }])),
    ];
  }

  list(caller: Caller, runId?: string): Listed | Promise<Listed> {
    const entered = this.runs.enter(caller, runId);
    return entered instanceof Promise
      ? entered.then((it) => this.listIn(caller, it))
      : this.listIn(caller, entered);
  }

  discoverable(caller: Caller): Listed | Promise<Listed> {
    const key = this.callers.keyOf(caller);
    const known = this.known.get(key);
    if (known !== undefined && this.isFresh(known, caller)) return known.list;
    const running = this.asking.get(key);
    if (running !== undefined) return running;
    const asked = this.ask(caller, key).finally(() => this.asking.delete(key));
    this.asking.set(key, asked);
    return asked;
  }

  onChange(listener: (change: ListChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    for (const end of this.ends) end();
    this.listeners.clear();
  }

  private listIn(caller: Caller, entered: Entered): Listed | Promise<Listed> {
    if (entered.kind !== 'entered') return entered;
    const { effective } = entered.frame;
    const listed = this.discoverable(inRun(caller, entered.frame));
    return listed instanceof Promise
      ? listed.then((it) => this.cut(it, effective))
      : this.cut(listed, effective);
  }

  /** The same object for the same list and the same run. */
  private cut(listed: Listed, run: EffectiveRun): Listed {
    if (listed.kind !== 'listed') return listed;
    const known = this.cuts.get(listed)?.get(run);
    if (known !== undefined) return known;
    const left = listed.entries.filter(({ entry: { name, facts } }) =>
      leaves(run, { name, server: facts.server }),
    );
    const list =
      left.length === listed.entries.length ? listed : listOf(left, listed.incomplete, listed.catalogVersion);
    const cuts = this.cuts.get(listed) ?? new WeakMap<EffectiveRun, EffectiveList>();
    this.cuts.set(listed, cuts.set(run, list));
    return list;
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
    const made = listOf(visible, servers.flatMap(incompleteOf), catalogVersion);
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

  private tell(changes: readonly ListChange[]): void {
    for (const change of changes) for (const listener of this.listeners) listener(change);
  }
}

function listOf(
  entries: readonly EffectiveEntry[],
  incomplete: readonly IncompleteServer[],
  catalogVersion: string,
): EffectiveList {
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
