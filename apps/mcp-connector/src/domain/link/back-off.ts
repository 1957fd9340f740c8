import { linkTimes } from './link-times.js';

/** When to try again after a connection failed or was lost (P5). */
export class BackOff {
  private failures = 0;

  constructor(
    private readonly options: {
      readonly firstMs: number;
      readonly longestMs: number;
      /** So many short-lived connections in a row are a crash loop. */
      readonly crashLoopAfter: number;
      readonly crashLoopMs: number;
      readonly random: () => number;
    },
  ) {}

  get wasFailing(): boolean {
    return this.failures > 0;
  }

  get isCrashLoop(): boolean {
    return this.failures >= this.options.crashLoopAfter;
  }

  /** Milliseconds to wait; 0 for the first try after a connection that had lasted. */
  afterFailure(): number {
    this.failures += 1;
    const { firstMs, longestMs, crashLoopMs, random } = this.options;
    const full = this.isCrashLoop ? crashLoopMs : Math.min(longestMs, firstMs * 2 ** (this.failures - 1));
    return Math.round(full * (0.5 + random() / 2));
  }

  reset(): void {
    this.failures = 0;
  }
}

/** That of one server. */
export function linkBackOff(random: () => number): BackOff {
  return new BackOff({
    firstMs: linkTimes.firstBackOff,
    longestMs: linkTimes.longestBackOff,
    crashLoopAfter: linkTimes.crashLoopAfter,
    crashLoopMs: linkTimes.crashLoopBackOff,
    random,
  });
}
