import type { Bus } from '@uar/bus';
import { appendReceipts, type Principal, type ProfileName, type ReceiptBody } from '@uar/contracts';
import { adminReceipt } from '@uar/settings';
import type { Log } from '@uar/telemetry';
import type { AdminReceipts } from '../domain/ports.js';

const mostWaiting = 10_000;
const mostAtOnce = 512;
const retryMs = 500;

/** Admin receipts, in order: what the ledger does not take now is kept and tried again. */
export class LedgerReceipts implements AdminReceipts {
  private waiting: ReceiptBody[] = [];
  private sending: Promise<void> | undefined;
  private retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly parts: {
      readonly bus: Bus;
      readonly log: Log;
      readonly profile: ProfileName;
      readonly governance: 'on' | 'off';
    },
  ) {}

  async write(principal: Principal, action: string): Promise<void> {
    const { log, profile, governance } = this.parts;
    if (this.waiting.length >= mostWaiting) log.error({ action }, 'an admin receipt is lost: too many wait');
    else this.waiting.push(adminReceipt(principal, action, { profile, governance, at: Date.now() }));
    await this.flush();
  }

  /** One more attempt at what waits; the last one when the service stops. */
  async flush(): Promise<void> {
    await this.sending;
    this.sending = this.send().finally(() => (this.sending = undefined));
    await this.sending;
  }

  stop(): Promise<void> {
    clearTimeout(this.retry);
    return this.flush();
  }

  problems(): string[] {
    return this.waiting.length === 0 ? [] : [`${this.waiting.length} admin receipts wait for the ledger`];
  }

  private async send(): Promise<void> {
    const receipts = this.waiting.slice(0, mostAtOnce);
    if (receipts.length === 0) return;
    const reply = await this.parts.bus.ask(appendReceipts, { receipts });
    if (reply.kind === 'answered') {
      this.waiting = this.waiting.slice(receipts.length);
      return;
    }
    this.parts.log.warn({ fault: reply.fault, waiting: this.waiting.length }, 'admin receipts wait');
    clearTimeout(this.retry);
    this.retry = setTimeout(() => void this.flush(), retryMs);
    this.retry.unref();
  }
}
