import type { Bus } from '@uar/bus';
import {
  catalogBeat,
  catalogChanged,
  readCatalog,
  type BodyOf,
  type CatalogEntry,
  type CatalogServer,
  type TenantId,
} from '@uar/contracts';
import type { Log } from '@uar/telemetry';
import { CatalogState } from './catalog-state.js';

type Change = BodyOf<typeof catalogChanged>;

/** Whose catalog a change touched: some tenants, or every tenant. */
export type CatalogListener = (change: { version: string; tenants: ReadonlySet<string> | 'all' }) => void;

interface Fetched {
  readonly state: CatalogState;
  readonly version: string;
}

const firstRetryMs = 50;
const longestRetryMs = 2_000;
const mostPending = 256;

/**
 * The catalog as one process holds it (DESIGN.md 5): a snapshot once, then the announced changes in order. A missed
 * change, a change too large to send, or a registry that started again reads the snapshot anew, one fetch at a time;
 * until it is in, the last whole state serves. Look-ups never leave the process.
 */
export class CatalogReplica {
  private state = new CatalogState();
  private at = '';
  private fetching: Promise<void> | undefined;
  /** Changes that arrived during a fetch, in order. */
  private pending: Change[] = [];
  /** A change during the fetch could not be kept: what is fetched will not be whole. */
  private lost = false;
  private attempts = 0;
  private retry: NodeJS.Timeout | undefined;
  private ends: (() => void)[] = [];
  private stopped = false;
  private readonly listeners = new Set<CatalogListener>();
  private readonly bus: Bus;
  private readonly log: Pick<Log, 'info' | 'warn' | 'error'>;

  constructor(options: { bus: Bus; log: Pick<Log, 'info' | 'warn' | 'error'> }) {
    this.bus = options.bus;
    this.log = options.log;
  }

  /** Listens, and asks for the first snapshot; resolves after that attempt. Without success it goes on trying. */
  async start(): Promise<void> {
    this.ends = [
      this.bus.listen(catalogChanged, (change) => this.hear(change)),
      this.bus.listen(catalogBeat, ({ version }) => this.beat(version)),
    ];
    await this.fetch();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.retry);
    for (const end of this.ends) end();
    this.listeners.clear();
  }

  /** True once a snapshot was taken; what it holds may be behind a registry that is not heard. */
  get ready(): boolean {
    return this.at !== '';
  }

  /** `<registry boot id>.<counter>`, empty before the first snapshot. */
  get version(): string {
    return this.at;
  }

  find(tenant: TenantId, name: string): CatalogEntry | undefined {
    return this.state.find(tenant, name);
  }

  /** In order of name; the same array until something of this tenant changes. */
  entries(tenant: TenantId): readonly CatalogEntry[] {
    return this.state.entries(tenant);
  }

  servers(tenant: TenantId): readonly CatalogServer[] {
    return this.state.servers(tenant);
  }

  server(tenant: TenantId, name: string): CatalogServer | undefined {
    return this.state.server(tenant, name);
  }

  /** Called after each change was applied. The returned function ends it. */
  onChange(listener: CatalogListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private hear(change: Change): void {
    if (this.fetching !== undefined) return this.postpone(change);
    if (change.version === this.at) return;
    if (change.previous !== this.at || change.changes === undefined) return this.refetch();
    const tenants = this.state.apply(change.changes);
    this.at = change.version;
    this.tell(tenants);
  }

  /** A registry that beats can answer: no more waiting for the next attempt. */
  private beat(version: string): void {
    if (version === this.at) return;
    clearTimeout(this.retry);
    void this.fetch();
  }

  private postpone(change: Change): void {
    if (this.pending.length < mostPending) this.pending.push(change);
    else this.lost = true;
  }

  /** Ignored while an attempt is due: that one will see the newest state. */
  private refetch(): void {
    if (this.retry === undefined) void this.fetch();
  }

  private fetch(): Promise<void> {
    this.retry = undefined;
    this.fetching ??= this.fetchOnce().finally(() => {
      this.fetching = undefined;
    });
    return this.fetching;
  }

  private async fetchOnce(): Promise<void> {
    this.pending = [];
    this.lost = false;
    const fetched = await this.readPages();
    if (this.stopped) return;
    const caughtUp = fetched === undefined ? undefined : this.catchUp(fetched);
    if (caughtUp === undefined) return this.tryLater();
    this.attempts = 0;
    this.state = caughtUp.state;
    this.at = caughtUp.version;
    this.log.info({ version: this.at }, 'catalog snapshot taken');
    this.tell('all');
  }

  private async readPages(): Promise<Fetched | undefined> {
    const state = new CatalogState();
    let version: string | undefined;
    let after: string | undefined;
    do {
      const reply = await this.bus.ask(readCatalog, after === undefined ? {} : { after });
      if (reply.kind === 'fault') {
        this.log.warn({ fault: reply.fault, attempt: this.attempts + 1 }, 'catalog snapshot not read');
        return undefined;
      }
      const page = reply.value;
      if (version !== undefined && bootOf(version) !== bootOf(page.version)) return undefined;
      state.apply({ upserted: page.entries, removed: [], servers: page.servers, servers_removed: [] });
      version ??= page.version;
      after = page.next;
    } while (after !== undefined && !this.stopped);
    return { state, version };
  }

  /** Applies what was announced since the first page; undefined when that is not whole. */
  private catchUp(fetched: Fetched): Fetched | undefined {
    let version = fetched.version;
    for (const change of this.pending) {
      if (!isLater(change.version, version)) continue;
      if (change.previous !== version || change.changes === undefined) return undefined;
      fetched.state.apply(change.changes);
      version = change.version;
    }
    return this.lost ? undefined : { state: fetched.state, version };
  }

  private tryLater(): void {
    const backOffMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(this.attempts, 10));
    this.attempts += 1;
    this.retry = setTimeout(() => void this.fetch(), backOffMs * (0.5 + Math.random() / 2));
    this.retry.unref();
  }

  private tell(tenants: ReadonlySet<string> | 'all'): void {
    for (const listener of this.listeners) {
      try {
        listener({ version: this.at, tenants });
      } catch (error) {
        this.log.error({ err: error }, 'a listener of the catalog failed');
      }
    }
  }
}

function bootOf(version: string): string {
  return version.slice(0, version.lastIndexOf('.'));
}

/** A version of another boot counts as later: whether it is, only its own registry knows. */
function isLater(version: string, than: string): boolean {
  if (bootOf(version) !== bootOf(than)) return true;
  return counterOf(version) > counterOf(than);
}

function counterOf(version: string): number {
  return Number(version.slice(version.lastIndexOf('.') + 1));
}
