import type { AttemptEnd, TenantId } from '@uar/contracts';
import type { Clock, DeliveryStore, DueDelivery } from '../ports.js';
import { attemptEnd, type Reception } from './attempt-end.js';
import type { MessageFacts } from './message.js';

/** Whoever hears the messages. Never rejects; answers within a deadline of its own, or once `signal` aborts. */
export interface Receiver {
  send(message: MessageFacts, signal: AbortSignal): Promise<Reception>;
}

/** Told of each attempt that was recorded. */
export interface CourierWatch {
  attempted(tenant: TenantId, result: 'delivered' | 'failed' | 'dead'): void;
  gaveUp(about: { readonly deliveryId: string; readonly approvalId: string; readonly problem: string }): void;
  troubled(error: unknown): void;
}

export interface CourierParts {
  readonly store: Pick<DeliveryStore, 'dueDeliveries' | 'endAttempt'>;
  readonly receiver: Receiver;
  readonly clock: Clock;
  readonly watch: CourierWatch;
  /** Calls back once after so many milliseconds unless it is stopped; the longest waits may be cut short. */
  after(ms: number, listener: () => void): () => void;
  /** In [0, 1). */
  chance(): number;
}

const mostAtOnce = 4;
const afterTroubleMs = 1_000;
const longestSleepMs = 60_000;

/**
 * Sends what the outbox holds: a few at once, of each approval one at a time and in order. Nobody waits for it: whoever
 * wrote a message only wakes it. An attempt whose end was not recorded is made again.
 */
export class Courier {
  private readonly busy = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private looking: Promise<void> | undefined;
  private woken = false;
  private endSleep = (): void => undefined;

  constructor(private readonly parts: CourierParts) {}

  /** Sends what an earlier process left. */
  start(): void {
    this.wake();
  }

  wake(): void {
    if (this.stopping.signal.aborted) return;
    this.woken = true;
    this.looking ??= this.look().finally(() => {
      this.looking = undefined;
      if (this.woken) this.wake();
    });
  }

  /** Nothing is begun after it; running attempts are broken off, and made again by the next start. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.endSleep();
    await this.looking;
    await Promise.all(this.busy.values());
  }

  private async look(): Promise<void> {
    this.woken = false;
    this.endSleep();
    const limit = mostAtOnce - this.busy.size;
    // Whoever comes back wakes it again.
    if (limit <= 0) return;
    const { store, clock, watch } = this.parts;
    try {
      const now = clock.now();
      const { due, nextAt } = await store.dueDeliveries({ now, busy: [...this.busy.keys()], limit });
      if (this.stopping.signal.aborted) return;
      for (const one of due) this.begin(one);
      if (nextAt !== undefined) this.sleep(nextAt - now);
    } catch (error) {
      watch.troubled(error);
      this.sleep(afterTroubleMs);
    }
  }

  private sleep(ms: number): void {
    if (this.stopping.signal.aborted) return;
    this.endSleep();
    this.endSleep = this.parts.after(Math.min(Math.max(1, ms), longestSleepMs), () => this.wake());
  }

  private begin(one: DueDelivery): void {
    const { approvalId } = one.delivery;
    const attempt = this.attempt(one)
      .catch((error: unknown) => this.pauseAfter(error))
      .finally(() => {
        this.busy.delete(approvalId);
        this.wake();
      });
    this.busy.set(approvalId, attempt);
  }

  /** The seat stays taken for a moment, so that a ledger that cannot be written is not asked without end. */
  private async pauseAfter(error: unknown): Promise<void> {
    this.parts.watch.troubled(error);
    const { signal } = this.stopping;
    if (signal.aborted) return;
    let end = (): void => undefined;
    await new Promise<void>((resolve) => {
      const cut = this.parts.after(afterTroubleMs, resolve);
      end = () => {
        cut();
        resolve();
      };
      signal.addEventListener('abort', end);
    });
    signal.removeEventListener('abort', end);
  }

  private async attempt({ delivery, approval }: DueDelivery): Promise<void> {
    const { store, receiver, clock, chance } = this.parts;
    const { deliveryId, event, approvalStatus, createdAt, attempts } = delivery;
    const message = { deliveryId, event, approvalStatus, createdAt, approval };
    const reception = await receiver.send(message, this.stopping.signal);
    if (this.stopping.signal.aborted && reception.kind === 'failed') return;
    const now = clock.now();
    const end = attemptEnd(reception, { attempts: attempts + 1, now, chance: chance() });
    await store.endAttempt({ deliveryId, attempts, end, now });
    this.say(delivery, end);
  }

  private say({ tenant, deliveryId, approvalId }: DueDelivery['delivery'], end: AttemptEnd): void {
    const { watch } = this.parts;
    watch.attempted(tenant, end.kind === 'again' ? 'failed' : end.kind);
    if (end.kind === 'dead') watch.gaveUp({ deliveryId, approvalId, problem: end.problem });
  }
}
