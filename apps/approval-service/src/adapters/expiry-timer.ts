import type { Log } from '@uar/telemetry';
import type { Alarm, Clock } from '../domain/ports.js';

/** Longest wait a Node timer can do, in milliseconds. */
const maxDelayMs = 2 ** 31 - 1;
const retryMs = 1_000;

export interface ExpiryTimerParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Ends what is due; answers when to come back. */
  expire(): Promise<number | undefined>;
}

/** One timer, set for the record that expires next. */
export class ExpiryTimer implements Alarm {
  readonly #parts: ExpiryTimerParts;
  #timer: NodeJS.Timeout | undefined;
  #at = Infinity;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(parts: ExpiryTimerParts) {
    this.#parts = parts;
  }

  /** Ends what is due, also what expired while nobody was there, then waits for the rest. */
  start(): Promise<void> {
    return (this.#running = this.#expire());
  }

  setFor(at: number): void {
    if (this.#stopped || at >= this.#at) return;
    clearTimeout(this.#timer);
    this.#at = at;
    const delay = Math.min(Math.max(0, at - this.#parts.clock.now()), maxDelayMs);
    this.#timer = setTimeout(() => void this.start(), delay);
  }

  /** Nothing is begun after it; what runs is finished. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #expire(): Promise<void> {
    this.#at = Infinity;
    try {
      const next = await this.#parts.expire();
      if (next !== undefined) this.setFor(next);
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'what expired could not be ended; trying again');
      this.setFor(this.#parts.clock.now() + retryMs);
    }
  }
}
