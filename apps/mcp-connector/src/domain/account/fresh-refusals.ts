import { BackOff } from '../link/back-off.js';

const firstMs = 2_000;
const longestMs = 300_000;

/** Tokens that an upstream refused as soon as they were there: others are asked for later, and later each time. */
export class FreshRefusals {
  private readonly backOff = new BackOff({
    ...{ firstMs, longestMs, crashLoopAfter: Infinity, crashLoopMs: longestMs },
    random: () => 1,
  });
  private latest: { readonly message: string; readonly until: number } | undefined;

  /** `now`: epoch milliseconds. */
  constructor(private readonly now: () => number) {}

  /** What the upstream said last, while nobody is to be asked for other tokens. */
  get standing(): string | undefined {
    if (this.latest === undefined) return undefined;
    const leftMs = this.latest.until - this.now();
    // More is left only after the clock was set back.
    return leftMs > 0 && leftMs <= longestMs ? this.latest.message : undefined;
  }

  /** Of all calls that were refused at the same time the first counts. */
  refused(message: string): void {
    if (this.standing !== undefined) return;
    this.latest = { message, until: this.now() + this.backOff.afterFailure() };
  }

  forget(): void {
    if (this.latest === undefined) return;
    this.latest = undefined;
    this.backOff.reset();
  }
}
