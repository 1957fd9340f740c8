import type { Bus } from '@uar/bus';
import { appendEvents, mostGrouped, type NotedEvent } from '@uar/contracts';
import type { Log } from '@uar/telemetry';
import { grouped } from './grouped.js';
import { EventQueue, type EventPlace } from './queue.js';

export type { EventPlace } from './queue.js';

const lingerMs = 20;
const firstRetryMs = 100;
const longestRetryMs = 2_000;
/** A batch that breaks the ledger is sent so many times: it may have been the moment. */
const mostBroken = 5;
/** About the longest batch, in characters: what the bus takes once it is text within text. */
const batchLength = 512 * 1024;

/** Takes events at once, sends them in order and in batches. A ledger that is away costs events, never their writer. */
export class EventDesk {
  private readonly queue: EventQueue;
  private batch = 0;
  /** So many are sent one by one: with one of them the ledger took none. */
  private singles = 0;
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> | undefined;
  private closing = false;

  constructor(
    private readonly parts: {
      readonly bus: Bus;
      readonly log: Pick<Log, 'warn' | 'error'>;
      readonly onDropped?: (count: number) => void;
      readonly now: () => number;
    },
  ) {
    this.queue = new EventQueue(parts.now);
  }

  /** Events that the ledger has not taken yet. */
  get unsent(): number {
    return this.queue.size;
  }

  note(place: EventPlace, event: NotedEvent): void {
    if (!this.queue.push(place, event)) this.parts.onDropped?.(1);
    if (this.queue.size >= mostGrouped) this.send();
    else this.timer ??= setTimeout(() => this.send(), lingerMs);
  }

  /** Writes what is left; gives up after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    let giveUp: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      giveUp = setTimeout(resolve, graceMs);
    });
    this.send();
    await Promise.race([this.sending, late]);
    this.closing = true;
    clearTimeout(giveUp);
    clearTimeout(this.timer);
  }

  private send(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sending ??= this.sendAll().finally(() => {
      this.sending = undefined;
    });
  }

  private async sendAll(): Promise<void> {
    while (this.queue.size > 0 && !this.closing) {
      const head = this.queue.head(this.singles > 0 ? 1 : mostGrouped, batchLength);
      this.batch += 1;
      const isWritten = await this.sendBatch(grouped(head));
      if (this.closing) return;
      this.singles = Math.max(0, this.singles - 1);
      if (isWritten) this.queue.forget(head.length);
      else if (head.length > 1) this.singles = head.length;
      else if (this.queue.lose()) this.parts.onDropped?.(1);
    }
  }

  /**
   * False: the ledger will not take it. Otherwise the same batch is sent until there is an answer, as that is not written twice;
   * one that breaks the ledger so many times is none that it has written.
   */
  private async sendBatch(groups: ReturnType<typeof grouped>): Promise<boolean> {
    const { bus, log } = this.parts;
    let broken = 0;
    for (let waitMs = firstRetryMs; !this.closing; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
      const reply = await bus.ask(appendEvents, { source: bus.instance, batch: this.batch, groups });
      if (reply.kind === 'answered') return true;
      const { fault } = reply;
      if (fault === 'faulted' || fault === 'bad_answer') broken += 1;
      if (fault === 'bad_ask' || fault === 'too_large' || broken === mostBroken) {
        const events = groups.reduce((sum, { count }) => sum + count, 0);
        log.error(
          { fault, events },
          events > 1 ? 'events are written one by one' : 'an event cannot be written',
        );
        return false;
      }
      if (waitMs === firstRetryMs) log.warn({ fault, unsent: this.queue.size }, 'events wait for the ledger');
      await new Promise((resolve) => setTimeout(resolve, waitMs).unref());
    }
    return true;
  }
}
