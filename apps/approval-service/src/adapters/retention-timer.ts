import { setTimeout as delay } from 'node:timers/promises';
import type { ReceiptBody, ReceiptPosition, TenantId } from '@uar/contracts';
import type { Ledger } from '@uar/ledger';
import type { Log } from '@uar/telemetry';
import type { Leadership } from '../domain/leadership/leadership.js';
import type { Clock } from '../domain/ports.js';

const dayMs = 86_400_000;
const passEveryMs = 3_600_000;
const firstPassMs = 5_000;
/** Receipts a step walks or sweeps: milliseconds of the ledger's time, with a pause in which others go first. */
const perWalk = 25;
const perSweep = 50;
const pauseMs = 20;

export interface RetentionParts {
  readonly ledger: Pick<Ledger, 'agedChains' | 'walkAged' | 'truncateReceipts' | 'sweepReceipts'>;
  readonly leadership: Pick<Leadership, 'leads'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Absent: receipts are kept for ever. */
  readonly retentionDays?: number;
  readonly setting: Pick<ReceiptBody, 'governance' | 'profile'>;
}

/**
 * Removes what is older than the retention, of a chain once a day at most: its oldest receipt has to be a day older than
 * that, so that a chain in which nothing happens is not truncated for the receipt of its last truncation.
 */
export class RetentionTimer {
  readonly #parts: RetentionParts;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  start(): void {
    const { retentionDays } = this.#parts;
    if (retentionDays !== undefined) this.#running = this.#run(retentionDays * dayMs);
  }

  /** Ends after the step that runs. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(retentionMs: number): Promise<void> {
    for (let waitMs = firstPassMs; await this.#waited(waitMs); waitMs = passEveryMs) {
      try {
        await this.#pass(this.#parts.clock.now() - retentionMs);
      } catch (error) {
        this.#parts.log.warn({ err: error }, 'old receipts could not be removed; trying again in an hour');
      }
    }
  }

  async #pass(before: number): Promise<void> {
    if (!this.#parts.leadership.leads()) return;
    for (const tenant of await this.#parts.ledger.agedChains({ before: before - dayMs })) {
      const through = await this.#walk(tenant, before);
      if (this.#stopping.signal.aborted) return;
      if (through !== undefined) await this.#truncate(tenant, through);
      await this.#sweep(tenant);
    }
  }

  /** How far the chain may be removed; undefined for not at all. */
  async #walk(tenant: TenantId, before: number): Promise<ReceiptPosition | undefined> {
    let end: ReceiptPosition | undefined;
    for (let more = true; more && (await this.#waited(pauseMs));) {
      const walked = await this.#parts.ledger.walkAged({
        tenant,
        before,
        limit: perWalk,
        ...(end === undefined ? {} : { after: end }),
      });
      if (walked.kind === 'broken') {
        const { at, problem } = walked;
        this.#parts.log.error({ tenant, at, problem }, 'a broken chain of receipts is not truncated');
        return undefined;
      }
      if (walked.kind === 'aged') end = walked.end;
      more = walked.kind === 'aged' && walked.more;
    }
    return end;
  }

  async #truncate(tenant: TenantId, through: ReceiptPosition): Promise<void> {
    const { ledger, clock, log, setting, retentionDays } = this.#parts;
    const receipt: ReceiptBody = {
      at: new Date(clock.now()).toISOString(),
      kind: 'admin',
      tenant,
      principal: 'System::"ledger"',
      ...setting,
      action: 'receipts.truncate',
      cause: `receipts up to ${through.seq} are older than ${retentionDays ?? 0} days`,
    };
    const { truncated } = await ledger.truncateReceipts({ through, receipt });
    if (truncated) log.info({ tenant, through_seq: through.seq }, 'old receipts were removed');
  }

  async #sweep(tenant: TenantId): Promise<void> {
    let swept = perSweep;
    while (swept === perSweep && (await this.#waited(pauseMs)))
      swept = await this.#parts.ledger.sweepReceipts({ tenant, limit: perSweep });
  }

  /** False when it is to stop. */
  async #waited(ms: number): Promise<boolean> {
    try {
      await delay(ms, undefined, { signal: this.#stopping.signal, ref: false });
      return true;
    } catch {
      return false;
    }
  }
}
