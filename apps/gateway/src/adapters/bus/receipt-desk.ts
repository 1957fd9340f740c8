import type { Bus } from '@uar/bus';
import {
  appendReceipts,
  writeIntent,
  type AppendedReceipt,
  type ReceiptBody,
  type ReceiptPosition,
} from '@uar/contracts';
import type { Log } from '@uar/telemetry';
import type { Receipts, Unavailable } from '../../domain/call/ports.js';
import { unavailable } from './pdp.js';

interface Unwritten {
  readonly body: ReceiptBody;
  readonly done: (position: ReceiptPosition | null) => void;
}

interface Limited {
  readonly body: ReceiptBody;
  count: number;
}

export const mostUnwritten = 10_000;
const perAsk = 256;
const lingerMs = 50;
const retryMs = 500;
const minuteMs = 60_000;

/** Takes outcome receipts at once, sends them in order and in batches, and keeps those the ledger did not take. */
export class ReceiptDesk implements Receipts {
  private readonly queue: Unwritten[] = [];
  private readonly limits = new Map<string, Limited>();
  private batch = perAsk;
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> | undefined;
  private closing = false;
  /** The ledger is there and takes no receipts: it is full, read-only or broken, until it takes one again. */
  private isRefusing = false;
  private refusedCount = 0;
  private readonly minutes: NodeJS.Timeout;

  constructor(
    private readonly bus: Bus,
    private readonly log: Pick<Log, 'warn' | 'error'>,
  ) {
    this.minutes = setInterval(() => this.settleLimits(), minuteMs);
    this.minutes.unref();
  }

  /** Outcomes of calls that had ended otherwise in the ledger. */
  get refused(): number {
    return this.refusedCount;
  }

  get unwritten(): number {
    return this.queue.length;
  }

  accepting(): boolean {
    return this.queue.length < mostUnwritten && !this.isRefusing;
  }

  async intent(receipt: ReceiptBody): Promise<ReceiptPosition | Unavailable> {
    const reply = await this.bus.ask(writeIntent, { gateway: this.bus.instance, receipt });
    return reply.kind === 'answered' ? reply.value : unavailable('ledger', reply);
  }

  outcome(body: ReceiptBody): Promise<ReceiptPosition | null> {
    return new Promise((done) => {
      this.queue.push({ body, done });
      if (this.queue.length >= perAsk) this.send();
      else this.timer ??= setTimeout(() => this.send(), lingerMs);
    });
  }

  limited(body: ReceiptBody): void {
    const key = JSON.stringify([body.principal, body.tenant, body.outcome]);
    const known = this.limits.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.limits.size < mostUnwritten) this.limits.set(key, { body, count: 1 });
  }

  /** Somebody waits for the receipt: the batch leaves now. */
  flush(): void {
    this.send();
  }

  /** Writes what is left; gives up after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    clearInterval(this.minutes);
    this.settleLimits();
    const giveUp = new Promise<void>((resolve) => {
      setTimeout(() => {
        this.closing = true;
        resolve();
      }, graceMs).unref();
    });
    await Promise.race([this.drain(), giveUp]);
    this.closing = true;
    clearTimeout(this.timer);
    if (this.queue.length > 0) this.log.error({ unwritten: this.queue.length }, 'receipts were not written');
    for (const { done } of this.queue.splice(0)) done(null);
  }

  private async drain(): Promise<void> {
    while (this.queue.length > 0 && !this.closing) {
      this.send();
      await this.sending;
    }
  }

  private settleLimits(): void {
    for (const { body, count } of this.limits.values())
      void this.outcome({ ...body, cause: `${count} calls within a minute` });
    this.limits.clear();
  }

  private send(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sending ??= this.sendAll().finally(() => {
      this.sending = undefined;
    });
  }

  private async sendAll(): Promise<void> {
    while (this.queue.length > 0) {
      const batch = this.queue.slice(0, this.batch);
      const reply = await this.bus.ask(appendReceipts, { receipts: batch.map(({ body }) => body) });
      if (reply.kind === 'answered' && reply.value.positions.length === batch.length) {
        this.batch = perAsk;
        this.isRefusing = false;
        this.queue.splice(0, batch.length);
        for (const [index, unwritten] of batch.entries()) this.taken(unwritten, reply.value.positions[index]);
        continue;
      }
      const fault = reply.kind === 'fault' ? reply.fault : 'bad_answer';
      if (fault === 'bad_ask' || fault === 'too_large') {
        this.narrow(batch, fault);
        continue;
      }
      if (fault === 'faulted') this.isRefusing = true;
      this.log.warn({ fault, unwritten: this.queue.length }, 'receipts wait for the ledger');
      if (this.closing) return;
      await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
    }
  }

  /** A call that was closed in our place, as we were taken as gone, keeps that outcome: ours is told here alone. */
  private taken({ body, done }: Unwritten, place: AppendedReceipt | undefined): void {
    if (place?.refused !== true) return done(place ?? null);
    this.refusedCount += 1;
    const { call_id, outcome } = body;
    this.log.error({ call_id, outcome, standing: place.seq }, 'a second outcome of a call was refused');
    done(null);
  }

  /** One receipt that can never be written must not hold up the others. */
  private narrow(batch: readonly Unwritten[], fault: string): void {
    if (batch.length > 1) {
      this.batch = 1;
      return;
    }
    this.log.error({ fault, call_id: batch[0]?.body.call_id }, 'a receipt cannot be written');
    this.queue.shift()?.done(null);
  }
}
