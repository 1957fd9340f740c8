import type { Bus, BusFaultKind } from '@uar/bus';
import {
  StoredVersionTexts,
  StoredVersions,
  TenantId,
  policyTextNamespace,
  policyVersionKey,
  policyVersionNamespace,
  type PolicyVersion,
} from '@uar/contracts';
import { readKept, writeKept } from '@uar/settings';
import type { Log } from '@uar/telemetry';
import type { VersionLog } from '../../domain/lifecycle/ports.js';
import type { ActiveSet } from '../../domain/sets/standing.js';
import { WaitingVersions } from '../../domain/lifecycle/waiting-versions.js';

const maxVersions = 100;
const attempts = 5;
const mostWaiting = 1_000;

/** Nobody answered at all: each further tenant would only wait for the same. */
const silences: ReadonlySet<string> = new Set<BusFaultKind>(['no_responders', 'timed_out', 'disconnected']);

type Listed = Awaited<ReturnType<VersionLog['list']>>;
type Texts = Awaited<ReturnType<VersionLog['texts']>>;

/** Every set that was in force, by version: an index per tenant, and the texts beside it. */
export class LedgerVersions implements VersionLog {
  /** What the ledger did not take yet. */
  readonly #waiting = new WaitingVersions<Entry>(mostWaiting);
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(
    private readonly setting: { readonly bus: Bus; readonly log: Log; readonly now: () => number },
  ) {}

  /** Ends when it is kept, or the ledger was away: then it is tried again with the next one, or before a listing. */
  record(tenant: string, active: ActiveSet): Promise<void> {
    const entry = entryOf(active, this.setting.now());
    const { version } = entry.version;
    const lost = this.#waiting.add({ tenant: TenantId.parse(tenant), version, entry });
    const { dropped } = this.#waiting;
    if (lost !== undefined)
      this.setting.log.error(
        { tenant: lost.tenant, version: lost.version, dropped },
        'a version of policies is not recorded: too many wait',
      );
    return this.#flush();
  }

  async list(tenant: TenantId): Promise<Listed> {
    await this.#flush();
    const index = await this.#index(tenant);
    switch (index.kind) {
      case 'unavailable':
        return { kind: 'unavailable', cause: `ledger_${index.cause}` };
      case 'unreadable':
        return { kind: 'listed', versions: [] };
      case 'read':
        return { kind: 'listed', versions: index.versions };
    }
  }

  async texts(tenant: TenantId, version: string): Promise<Texts> {
    await this.#flush();
    const of = { namespace: policyTextNamespace, tenant, key: version };
    const read = await readKept(this.setting.bus, StoredVersionTexts, of);
    if (read.kind === 'unavailable') return { kind: 'unavailable', cause: `ledger_${read.cause}` };
    const [entry] = read.entries;
    return entry?.kind === 'kept' ? { kind: 'found', texts: entry.value } : { kind: 'not_found' };
  }

  /** One at a time; whoever comes before the next one began shares it. */
  #flush(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const turn = this.#running.then(() => {
      this.#next = undefined;
      return this.#keepAll();
    });
    this.#next = turn;
    // A bug in one turn is for whoever waits for it; the turns after it go on.
    this.#running = turn.catch(() => undefined);
    return turn;
  }

  /** A tenant whose version is not kept goes to the back, and the next one goes on. */
  async #keepAll(): Promise<void> {
    for (const tenant of this.#waiting.tenants()) {
      const cause = await this.#keepOf(tenant);
      if (cause === undefined) continue;
      this.#waiting.toBack(tenant);
      const { size: waiting, dropped } = this.#waiting;
      this.setting.log.warn({ tenant, cause, waiting, dropped }, 'versions of policies wait for the ledger');
      if (silences.has(cause)) return;
    }
  }

  /** Those of one tenant in their order, up to the first that is not kept: why it is not. */
  async #keepOf(tenant: TenantId): Promise<string | undefined> {
    for (let one = this.#waiting.first(tenant); one !== undefined; one = this.#waiting.first(tenant)) {
      const cause = await this.#keep(tenant, one.entry);
      if (cause !== undefined) return cause;
      this.#waiting.remove(one);
    }
    return undefined;
  }

  /** The texts first: an index never names what is not there. Gives why it is not kept. */
  async #keep(tenant: TenantId, entry: Entry): Promise<string | undefined> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const index = await this.#index(tenant);
      if (index.kind === 'unavailable') return index.cause;
      if (index.kind === 'unreadable')
        this.setting.log.error({ tenant }, 'the index of versions is unreadable: it starts anew');
      const before = index.kind === 'read' ? index.versions : [];
      if (before[0]?.version === entry.version.version) return undefined;
      const texts = await this.#keepTexts(tenant, entry);
      if (texts.kind === 'unavailable') return texts.cause;
      const others = before.filter(({ version }) => version !== entry.version.version);
      const versions = [entry.version, ...others];
      const written = await this.#writeIndex(tenant, versions.slice(0, maxVersions), index.revision);
      if (written.kind === 'unavailable') return written.cause;
      if (written.kind === 'conflict') continue;
      for (const { version } of versions.slice(maxVersions)) await this.#removeTexts(tenant, version);
      return undefined;
    }
    return 'conflict';
  }

  async #index(tenant: TenantId): Promise<Index> {
    const of = { namespace: policyVersionNamespace, tenant, key: policyVersionKey };
    const read = await readKept(this.setting.bus, StoredVersions, of);
    if (read.kind === 'unavailable') return read;
    const [entry] = read.entries;
    if (entry === undefined) return { kind: 'read', versions: [], revision: 0 };
    if (entry.kind === 'unreadable') return entry;
    return { kind: 'read', versions: entry.value.versions, revision: entry.revision };
  }

  #writeIndex(tenant: TenantId, versions: PolicyVersion[], if_revision: number) {
    const of = { tenant, namespace: policyVersionNamespace, key: policyVersionKey };
    return writeKept(this.setting.bus, { ...of, value: { versions }, if_revision });
  }

  /** A conflict: another replica of the decider, or an earlier time, has kept the very same. */
  #keepTexts(tenant: TenantId, { version, texts }: Entry) {
    const of = { tenant, namespace: policyTextNamespace, key: version.version };
    return writeKept(this.setting.bus, { ...of, value: texts, if_revision: 0 });
  }

  async #removeTexts(tenant: TenantId, version: string): Promise<void> {
    const { bus } = this.setting;
    const of = { tenant, namespace: policyTextNamespace, key: version };
    const read = await readKept(bus, StoredVersionTexts, of);
    const revision = read.kind === 'read' ? read.entries[0]?.revision : undefined;
    if (revision !== undefined) await writeKept(bus, { ...of, value: null, if_revision: revision });
  }
}

/** What the ledger keeps of a tenant's versions. `unreadable`: something is there, at that revision. */
type Index =
  | { readonly kind: 'read'; readonly versions: readonly PolicyVersion[]; readonly revision: number }
  | { readonly kind: 'unreadable'; readonly revision: number }
  | { readonly kind: 'unavailable'; readonly cause: string };

interface Entry {
  readonly version: PolicyVersion;
  readonly texts: StoredVersionTexts;
}

function entryOf({ set, wanted: { source, written, own } }: ActiveSet, now: number): Entry {
  return {
    version: {
      version: set.version,
      at: written?.at ?? new Date(now).toISOString(),
      ...(written === undefined ? {} : { by: written.by }),
      source,
      policies: set.policies.length,
    },
    texts: { policies: { ...own }, authors: [...(written?.authors ?? [])] },
  };
}
