import type { Bus } from '@uar/bus';
import { TenantId, readSettings, settingsChanged } from '@uar/contracts';
import type { Log } from '@uar/telemetry';
import type { z } from 'zod';
import { Absence } from './absence.js';
import { keptOf, type Kept } from './kept.js';

export interface ReplicaOptions<S extends z.ZodType> {
  readonly bus: Bus;
  readonly log: Pick<Log, 'debug' | 'info' | 'warn'>;
  readonly namespace: string;
  readonly schema: S;
  /** How often the namespace is read without being told: an announcement may be lost. */
  readonly pollMs?: number;
  /** How long the ledger may be away before that is worth a warning. */
  readonly warnAfterMs?: number;
}

/** Which setting may have changed. */
export type SettingsListener = (setting: { readonly tenant: TenantId; readonly key: string }) => void;

const usualPollMs = 10_000;
const retryMs = 200;
const usualWarnAfterMs = 5_000;

/**
 * The settings of one namespace, of all tenants, as this process holds them. Read at the start, after each announced write,
 * and now and then besides; what was read last serves while the ledger is away. Not `ready` before the first reading.
 */
export class SettingsReplica<S extends z.ZodType> {
  readonly #settings = new Map<string, Kept<z.output<S>>>();
  readonly #listeners = new Set<SettingsListener>();
  #isReady = false;
  #isStopped = false;
  #reading: Promise<void> | undefined;
  /** Told of a write while a reading was under way: that reading may have missed it. */
  #isStale = false;
  #timer: NodeJS.Timeout | undefined;
  #end: (() => void) | undefined;
  #tellReady: () => void = () => undefined;
  readonly #whenReady = new Promise<void>((resolve) => {
    this.#tellReady = resolve;
  });

  readonly #absence: Absence;

  constructor(private readonly options: ReplicaOptions<S>) {
    const { log, namespace, warnAfterMs = usualWarnAfterMs } = options;
    this.#absence = new Absence({ log, namespace, warnAfterMs });
  }

  get ready(): boolean {
    return this.#isReady;
  }

  /** Resolves with the first reading; never where there is none. */
  whenReady(): Promise<void> {
    return this.#whenReady;
  }

  /** Resolves after the first attempt; without success it goes on trying. */
  async start(): Promise<void> {
    const { bus, namespace } = this.options;
    this.#end = bus.listen(settingsChanged, (changed) => {
      if (changed.namespace === namespace) void this.refresh();
    });
    await this.refresh();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#end?.();
    this.#listeners.clear();
  }

  get(tenant: string, key: string): Kept<z.output<S>> | undefined {
    return this.#settings.get(placeOf(tenant, key));
  }

  /** Settings of one tenant by key. */
  of(tenant: string): ReadonlyMap<string, Kept<z.output<S>>> {
    const prefix = placeOf(tenant, '');
    const own = [...this.#settings].filter(([place]) => place.startsWith(prefix));
    return new Map(own.map(([place, kept]) => [place.slice(prefix.length), kept]));
  }

  tenants(): ReadonlySet<string> {
    return new Set([...this.#settings.keys()].map((place) => place.slice(0, place.indexOf('/'))));
  }

  /** Called once per setting that came, went or changed. The returned function ends it. */
  onChange(listener: SettingsListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads what the ledger holds now; resolves when that attempt has ended. One reading at a time. */
  refresh(): Promise<void> {
    if (this.#reading !== undefined) {
      this.#isStale = true;
      return this.#reading;
    }
    clearTimeout(this.#timer);
    this.#reading = this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    do {
      this.#isStale = false;
      const isRead = await this.#readOnce();
      if (!isRead) {
        this.#schedule(this.#isReady ? (this.options.pollMs ?? usualPollMs) : retryMs);
        return;
      }
    } while (this.#isStale && !this.#isStopped);
    this.#schedule(this.options.pollMs ?? usualPollMs);
  }

  async #readOnce(): Promise<boolean> {
    const { bus, log, namespace, schema } = this.options;
    const reply = await bus.ask(readSettings, { namespace });
    if (this.#isStopped) return true;
    if (reply.kind === 'fault') {
      this.#absence.failed(reply.fault);
      return false;
    }
    this.#absence.ended();
    const changed: { tenant: TenantId; key: string }[] = [];
    const gone = new Set(this.#settings.keys());
    for (const setting of reply.value.settings) {
      const { tenant, key } = setting;
      const place = placeOf(tenant, key);
      gone.delete(place);
      if (this.#settings.get(place)?.revision === setting.revision) continue;
      const kept = keptOf(schema, setting);
      if (kept.kind === 'unreadable') log.warn({ namespace, tenant, key }, 'a stored setting is unreadable');
      this.#settings.set(place, kept);
      changed.push({ tenant, key });
    }
    for (const place of gone) {
      this.#settings.delete(place);
      changed.push(partsOf(place));
    }
    this.#isReady = true;
    this.#tellReady();
    for (const setting of changed) for (const listener of this.#listeners) listener(setting);
    return true;
  }

  #schedule(ms: number): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), ms);
    this.#timer.unref();
  }
}

/** A tenant has no slash. */
function placeOf(tenant: string, key: string): string {
  return `${tenant}/${key}`;
}

function partsOf(place: string): { tenant: TenantId; key: string } {
  const slash = place.indexOf('/');
  return { tenant: TenantId.parse(place.slice(0, slash)), key: place.slice(slash + 1) };
}
