import type { ServerConfig } from '@uar/contracts';
import type { Clock } from '../clock.js';
import { mostSeats } from './link-times.js';

/** A bound on what runs at once, with a bounded queue in front of it. */
export class Slots {
  private running = 0;
  private readonly queue: Waiter[] = [];
  private readonly idleListeners = new Set<() => void>();

  constructor(
    private capacity: number,
    private readonly maxQueued: number,
  ) {}

  get inUse(): number {
    return this.running;
  }

  setCapacity(capacity: number): void {
    this.capacity = capacity;
    this.advance();
  }

  /** Settles when nothing runs and nothing waits, or after `graceMs`. */
  async idleWithin(graceMs: number, clock: Clock): Promise<void> {
    if (this.running === 0 && this.queue.length === 0) return;
    const done = new AbortController();
    const idle = new Promise<void>((resolve) => this.idleListeners.add(resolve));
    await Promise.race([idle, clock.wait(graceMs, done.signal)]);
    done.abort();
  }

  /** `taken`: release it. `full`: the queue is. `aborted`: the signal ended the wait. */
  async take(signal: AbortSignal): Promise<'taken' | 'full' | 'aborted'> {
    if (signal.aborted) return 'aborted';
    if (this.running < this.capacity) {
      this.running += 1;
      return 'taken';
    }
    if (this.queue.length >= this.maxQueued) return 'full';
    return await new Promise((resolve) => this.enqueue(resolve, signal));
  }

  release(): void {
    this.running -= 1;
    this.advance();
  }

  private enqueue(resolve: (how: 'taken' | 'aborted') => void, signal: AbortSignal): void {
    const leave = (): void => {
      this.queue.splice(this.queue.indexOf(waiter), 1);
      resolve('aborted');
    };
    const waiter: Waiter = {
      enter: () => {
        signal.removeEventListener('abort', leave);
        resolve('taken');
      },
    };
    this.queue.push(waiter);
    signal.addEventListener('abort', leave, { once: true });
  }

  private advance(): void {
    while (this.running < this.capacity) {
      const next = this.queue.shift();
      if (next === undefined) break;
      this.running += 1;
      next.enter();
    }
    if (this.running > 0 || this.queue.length > 0) return;
    for (const listener of this.idleListeners) listener();
    this.idleListeners.clear();
  }
}

interface Waiter {
  readonly enter: () => void;
}

/** Calls to one server that may run at once; `concurrency` is that of one connection. */
export function callsAtOnce({ concurrency, placement }: ServerConfig): number {
  return placement === 'per_principal' ? concurrency * mostSeats : concurrency;
}
