import type { Bus } from '@uar/bus';
import { putRun, readRun, runChanged, type RunId, type TenantId } from '@uar/contracts';
import { LRUCache } from 'lru-cache';
import type { FoundRun, HeldRun, RunStore, RunWrite, RunWritten } from '../../domain/run/ports.js';
import { unavailable } from './pdp.js';

type Listener = (tenant: TenantId, runId: RunId) => void;

interface Remembered {
  readonly held: HeldRun;
  /** Epoch milliseconds. */
  readonly readAt: number;
  /** The newest revision we were told of. */
  readonly newest: number;
}

const mostHeld = 10_000;
/** An announcement may be lost: what is older is asked for again behind the call that uses it. */
const freshMs = 5_000;
/** What is older than this is used no more before it was asked for. */
const usableMs = 30_000;

/** Runs of the ledger, those in use held here. */
export class LedgerRuns implements RunStore {
  private readonly remembered = new LRUCache<string, Remembered>({ max: mostHeld });
  private readonly reading = new Map<string, Promise<FoundRun>>();
  private readonly listeners = new Set<Listener>();
  private readonly endListening: () => void;

  constructor(
    private readonly bus: Bus,
    private readonly now: () => number,
  ) {
    this.endListening = bus.listen(runChanged, ({ tenant, run_id, revision }) => {
      const place = placeOf(tenant, run_id);
      const known = this.remembered.peek(place);
      if (known === undefined || known.newest >= revision) return;
      this.remembered.set(place, { ...known, newest: revision });
      void this.catchUp(tenant, run_id);
    });
  }

  find(tenant: TenantId, runId: RunId): FoundRun | Promise<FoundRun> {
    const known = this.remembered.get(placeOf(tenant, runId));
    if (known === undefined) return this.read(tenant, runId);
    const ageMs = this.now() - known.readAt;
    if (ageMs >= usableMs || isBehind(known)) return this.read(tenant, runId);
    if (ageMs >= freshMs) void this.read(tenant, runId);
    return { kind: 'found', held: known.held };
  }

  peek(tenant: TenantId, runId: RunId): HeldRun | undefined {
    return this.remembered.peek(placeOf(tenant, runId))?.held;
  }

  read(tenant: TenantId, runId: RunId): Promise<FoundRun> {
    const place = placeOf(tenant, runId);
    const running = this.reading.get(place);
    if (running !== undefined) return running;
    const reading = this.ask(tenant, runId).finally(() => this.reading.delete(place));
    this.reading.set(place, reading);
    return reading;
  }

  async put({ run, ifRevision, keptUntil, receipt }: RunWrite): Promise<RunWritten> {
    const reply = await this.bus.ask(putRun, {
      run,
      if_revision: ifRevision,
      kept_until: keptUntil,
      ...(receipt === undefined ? {} : { receipt }),
    });
    if (reply.kind === 'fault') return unavailable('ledger', reply);
    if (reply.value.kind === 'conflict') return { kind: 'conflict' };
    const held = this.hold({ run, revision: reply.value.revision });
    return { kind: 'written', held };
  }

  onChange(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    this.endListening();
    this.listeners.clear();
  }

  private async ask(tenant: TenantId, runId: RunId): Promise<FoundRun> {
    const reply = await this.bus.ask(readRun, { tenant, run_id: runId });
    if (reply.kind === 'fault') return unavailable('ledger', reply);
    if (reply.value.kind === 'not_found') {
      if (this.remembered.delete(placeOf(tenant, runId))) this.tell(tenant, runId);
      return { kind: 'not_found' };
    }
    const { run, revision } = reply.value;
    return { kind: 'found', held: this.hold({ run, revision }) };
  }

  /** A reading that was under way already may have been too early. */
  private async catchUp(tenant: TenantId, runId: RunId): Promise<void> {
    await this.read(tenant, runId);
    const known = this.remembered.peek(placeOf(tenant, runId));
    if (known !== undefined && isBehind(known)) await this.read(tenant, runId);
  }

  /** Answers and writes may pass each other on their way here: the newest revision stays. */
  private hold(read: HeldRun): HeldRun {
    const { tenant, run_id: runId } = read.run;
    const place = placeOf(tenant, runId);
    const before = this.remembered.peek(place);
    const held = before !== undefined && before.held.revision >= read.revision ? before.held : read;
    const newest = Math.max(held.revision, before?.newest ?? 0);
    this.remembered.set(place, { held, readAt: this.now(), newest });
    if (before !== undefined && held !== before.held) this.tell(tenant, runId);
    return held;
  }

  private tell(tenant: TenantId, runId: RunId): void {
    for (const listener of this.listeners) listener(tenant, runId);
  }
}

function isBehind({ held, newest }: Remembered): boolean {
  return held.revision < newest;
}

function placeOf(tenant: TenantId, runId: RunId): string {
  return `${tenant}/${runId}`;
}
