import type { Bus } from '@uar/bus';
import {
  StoredVersionTexts,
  StoredVersions,
  TenantId,
  policyTextNamespace,
  policyVersionKey,
  policyVersionNamespace,
  type PolicyVersion,
} from '@uar/contracts';
import { writeKept } from '@uar/settings';
import type { Log } from '@uar/telemetry';
import type { VersionLog } from '../domain/lifecycle/ports.js';
import type { ActiveSet } from '../domain/lifecycle/standing.js';
import { readEntries } from './ledger-settings.js';

const maxVersions = 100;
const attempts = 5;

type Listed = Awaited<ReturnType<VersionLog['list']>>;
type Texts = Awaited<ReturnType<VersionLog['texts']>>;

/** Every set that was in force, by version: an index per tenant, and the texts beside it. */
export class LedgerVersions implements VersionLog {
  /** What the ledger did not take yet, by tenant and version. */
  readonly #waiting = new Map<string, { readonly tenant: TenantId; readonly entry: Entry }>();
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly setting: { readonly bus: Bus; readonly log: Log; readonly now: () => number },
  ) {}

  /** Ends when it is kept, or the ledger was away: then it is tried again with the next one, or before a listing. */
  record(tenant: string, active: ActiveSet): Promise<void> {
    const entry = entryOf(active, this.setting.now());
    this.#waiting.set(`${tenant} ${entry.version.version}`, { tenant: TenantId.parse(tenant), entry });
    return this.#flush();
  }

  async list(tenant: TenantId): Promise<Listed> {
    await this.#flush();
    const index = await this.#index(tenant);
    return index.kind === 'read' ? { kind: 'listed', versions: index.versions } : index;
  }

  async texts(tenant: TenantId, version: string): Promise<Texts> {
    await this.#flush();
    const of = { namespace: policyTextNamespace, tenant, key: version };
    const read = await readEntries(this.setting.bus, StoredVersionTexts, of);
    if (read.kind === 'unavailable') return read;
    const [entry] = read.entries;
    return entry === undefined ? { kind: 'not_found' } : { kind: 'found', texts: entry.value };
  }

  #flush(): Promise<void> {
    const turn = this.#running.then(async () => {
      for (const [place, { tenant, entry }] of this.#waiting) {
        if (!(await this.#keep(tenant, entry))) return;
        this.#waiting.delete(place);
      }
    });
    this.#running = turn;
    return turn;
  }

  /** The texts first: an index never names what is not there. */
  async #keep(tenant: TenantId, entry: Entry): Promise<boolean> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const index = await this.#index(tenant);
      if (index.kind === 'unavailable') return this.#isLate(index.cause);
      if (index.versions[0]?.version === entry.version.version) return true;
      if (!(await this.#keepTexts(tenant, entry))) return this.#isLate('texts');
      const others = index.versions.filter(({ version }) => version !== entry.version.version);
      const versions = [entry.version, ...others];
      const written = await this.#writeIndex(tenant, versions.slice(0, maxVersions), index.revision);
      if (written === 'unavailable') return this.#isLate('index');
      if (written === 'conflict') continue;
      for (const { version } of versions.slice(maxVersions)) await this.#removeTexts(tenant, version);
      return true;
    }
    return this.#isLate('conflict');
  }

  async #index(tenant: TenantId) {
    const of = { namespace: policyVersionNamespace, tenant, key: policyVersionKey };
    const read = await readEntries(this.setting.bus, StoredVersions, of);
    if (read.kind === 'unavailable') return read;
    const [entry] = read.entries;
    return { kind: 'read' as const, versions: entry?.value.versions ?? [], revision: entry?.revision ?? 0 };
  }

  async #writeIndex(tenant: TenantId, versions: PolicyVersion[], if_revision: number) {
    const of = { tenant, namespace: policyVersionNamespace, key: policyVersionKey };
    return (await writeKept(this.setting.bus, { ...of, value: { versions }, if_revision })).kind;
  }

  /** A conflict: another replica of the decider, or an earlier time, has kept the very same. */
  async #keepTexts(tenant: TenantId, { version, texts }: Entry): Promise<boolean> {
    const of = { tenant, namespace: policyTextNamespace, key: version.version };
    const written = await writeKept(this.setting.bus, { ...of, value: texts, if_revision: 0 });
    return written.kind !== 'unavailable';
  }

  async #removeTexts(tenant: TenantId, version: string): Promise<void> {
    const { bus } = this.setting;
    const of = { tenant, namespace: policyTextNamespace, key: version };
    const read = await readEntries(bus, StoredVersionTexts, of);
    const revision = read.kind === 'read' ? read.entries[0]?.revision : undefined;
    if (revision !== undefined) await writeKept(bus, { ...of, value: null, if_revision: revision });
  }

  #isLate(cause: string): false {
    this.setting.log.warn({ cause, waiting: this.#waiting.size }, 'versions of policies wait for the ledger');
    return false;
  }
}

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
