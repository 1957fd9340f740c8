import type { Clock } from '../clock.js';
import type { Notice } from '../client-side.js';

export interface NoticesOptions {
  readonly clock: Clock;
  /** Of the connection that they come from. */
  readonly signal: AbortSignal;
  readonly pass: (notice: Notice) => void;
}

/** Notices that say that something is another now: those alike become one. */
const changes = new Set([
  'notifications/resources/updated',
  'notifications/resources/list_changed',
  'notifications/prompts/list_changed',
]);
const gatherMs = 50;
/** Changes that are gathered at once; of more, some are not told. */
const mostGathered = 256;
/** Other notices in a row, and how many more in each second. */
const mostInARow = 1_000;
const perSecond = 200;

/** Lets the notices of one connection pass at a bounded rate and in bounded memory; of a flood the rest is dropped. */
export class Notices {
  private readonly gathered = new Map<string, Notice>();
  private left = mostInARow;
  private countedAt: number;

  constructor(private readonly options: NoticesOptions) {
    this.countedAt = options.clock.now();
  }

  tell(notice: Notice): void {
    if (changes.has(notice.method)) void this.gather(notice);
    else if (this.mayPass()) this.options.pass(notice);
  }

  private async gather(notice: Notice): Promise<void> {
    const key = `${notice.method} ${notice.paramsJson}`;
    if (this.gathered.has(key) || this.gathered.size >= mostGathered) return;
    this.gathered.set(key, notice);
    if (this.gathered.size > 1) return;
    const { clock, signal, pass } = this.options;
    await clock.wait(gatherMs, signal);
    const told = [...this.gathered.values()];
    this.gathered.clear();
    if (!signal.aborted) for (const one of told) pass(one);
  }

  private mayPass(): boolean {
    const now = this.options.clock.now();
    const earned = (Math.max(0, now - this.countedAt) * perSecond) / 1_000;
    this.left = Math.min(mostInARow, this.left + earned);
    this.countedAt = now;
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }
}
