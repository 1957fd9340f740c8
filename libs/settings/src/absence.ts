import type { Log } from '@uar/telemetry';

export interface AbsenceOptions {
  readonly log: Pick<Log, 'debug' | 'info' | 'warn'>;
  readonly namespace: string;
  /** How long it may last before it is worth a warning: at a start the ledger comes last, and comes. */
  readonly warnAfterMs: number;
}

/** Tells of a ledger that does not answer: once, when that has lasted, and once when it is over. */
export class Absence {
  #since: number | undefined;
  #isTold = false;

  constructor(private readonly options: AbsenceOptions) {}

  /** A reading failed. */
  failed(fault: string): void {
    const { log, namespace, warnAfterMs } = this.options;
    const now = performance.now();
    this.#since ??= now;
    const lasted = now - this.#since;
    const isNews = !this.#isTold && lasted >= warnAfterMs;
    this.#isTold ||= isNews;
    log[isNews ? 'warn' : 'debug']({ namespace, fault, lasted_ms: Math.round(lasted) }, 'settings not read');
  }

  /** A reading succeeded. */
  ended(): void {
    const { log, namespace } = this.options;
    if (this.#isTold) log.info({ namespace }, 'settings read again');
    this.#since = undefined;
    this.#isTold = false;
  }
}
