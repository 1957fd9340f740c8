import type { Ledger } from '@uar/ledger';
import type { Log } from '@uar/telemetry';
import type { Leadership } from '../domain/leadership/leadership.js';
import type { Clock } from '../domain/ports.js';

const firstMs = 5_000;
const everyMs = 60_000;
/** In between others go first. */
const pauseMs = 50;
/** The ledger forgets at most so many of each kind at once: an answer that is smaller left nothing. */
const mostOfEach = 500;

export interface PurgeTimerParts {
  readonly ledger: Pick<Ledger, 'purgeExpired'>;
  readonly leadership: Pick<Leadership, 'leads'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** Has the ledger forget what expired, in small steps until nothing is left, however much there is. */
export class PurgeTimer {
  readonly #parts: PurgeTimerParts;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;
  #isFailing = false;

  constructor(parts: PurgeTimerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#wait(firstMs);
  }

  /** Ends after the step that runs. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #wait(ms: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#purge().then((next) => this.#wait(next));
    }, ms).unref();
  }

  /** Answers when to go on. A failure that lasts is told once, and once that it is over. */
  async #purge(): Promise<number> {
    const { ledger, leadership, clock, log } = this.#parts;
    if (!leadership.leads()) return everyMs;
    try {
      const count = await ledger.purgeExpired({ now: clock.now() });
      if (this.#isFailing) log.info('what expired is forgotten again');
      this.#isFailing = false;
      return count < mostOfEach ? everyMs : pauseMs;
    } catch (error) {
      if (!this.#isFailing)
        log.warn({ err: error }, 'what expired could not be forgotten; trying again every minute');
      this.#isFailing = true;
      return everyMs;
    }
  }
}
