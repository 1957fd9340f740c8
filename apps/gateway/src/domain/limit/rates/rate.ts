import { LimitScope, type LimitRule } from '../limit-scope.js';

/** A rate as the configuration states it; the defaults are in. */
export interface RateRule extends LimitRule {
  readonly calls: number;
  readonly windowMs: number;
  readonly burst: number;
  readonly fail: 'open' | 'closed';
}

/**
 * One rate with its arithmetic, that of a leaky bucket: each call fills `windowMs`, each millisecond drains `calls`, and
 * what is in may not exceed `burst` calls. All numbers are whole, so that nothing is lost to rounding.
 */
export class Rate {
  readonly name: string;
  readonly fail: 'open' | 'closed';
  readonly scope: LimitScope;

  constructor(private readonly rule: RateRule) {
    for (const amount of [rule.calls, rule.windowMs, rule.burst])
      if (!Number.isInteger(amount) || amount < 1)
        throw new Error(`rate ${rule.name}: ${amount} is no amount`);
    this.name = rule.name;
    this.fail = rule.fail;
    this.scope = new LimitScope(rule);
  }

  /** Milliseconds until one more call fits into a bucket that is empty at `emptyAt` (of `after`); 0 = now. */
  waitMs(emptyAt: number, now: number): number {
    const { calls, windowMs, burst } = this.rule;
    const excess = this.levelOf(emptyAt, now) - windowMs * (burst - 1);
    return excess <= 0 ? 0 : Math.ceil(excess / calls);
  }

  /** When the bucket is empty, after so many more calls, in units of which each millisecond has `calls`. */
  after(emptyAt: number, now: number, calls: number): number {
    return now * this.rule.calls + this.levelOf(emptyAt, now) + calls * this.rule.windowMs;
  }

  private levelOf(emptyAt: number, now: number): number {
    return Math.max(0, emptyAt - now * this.rule.calls);
  }
}
