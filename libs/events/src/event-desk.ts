import type { Bus } from '@uar/bus';
import { appendEvents, mostGrouped, type NotedEvent } from '@uar/contracts';
import type { Log } from '@uar/telemetry';
import { grouped } from './grouped.js';
import { EventQueue, type EventPlace } from './queue.js';

export type { EventPlace } from './queue.js';

const lingerMs = 20;
const firstRetryMs = 100;
const longestRetryMs = 2_000;
/** About the longest batch, in characters: what the bus takes once it is text within text. */
const batchLength = 512 * 1024;

/** Takes events at once, sends them in order and in batches. A ledger that is away costs events, never their writer. */
export class EventDesk {
  private readonly queue: EventQueue;
  private batch = 0;
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
      const head = this.queue.head(mostGrouped, batchLength);
      const groups = grouped(head);
      this.batch += 1;
      const isWritten = await this.sendBatch(groups);
      if (this.closing) return;
      if (isWritten) this.queue.forget(head.length);
      else {
        this.queue.lose(head.length);
        this.parts.onDropped?.(head.length);
      }
    }
  }

  /** False: the ledger will never take it. The same batch is sent until there is an answer: written twice it is not. */
  private async sendBatch(groups: ReturnType<typeof grouped>): Promise<boolean> {
    const { bus, log } = this.parts;
    for (let waitMs = firstRetryMs; !this.closing; waitMs = Math.min(waitMs * 2, longestRetryMs)) {
      const reply = await bus.ask(appendEvents, { source: bus.instance, batch: this.batch, groups });
      if (reply.kind === 'answered') return true;
      const { fault } = reply;
      if (fault === 'bad_ask' || fault === 'too_large') {
        log.error({ fault, events: groups.length }, 'events cannot be written');
        return false;
      }
      if (waitMs === firstRetryMs) log.warn({ fault, unsent: this.queue.size }, 'events wait for the ledger');
      await new Promise((resolve) => setTimeout(resolve, waitMs).unref());
    }
    return true;
  }
}
