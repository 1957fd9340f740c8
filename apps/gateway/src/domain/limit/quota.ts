import { LimitScope, type LimitRule } from './limit-scope.js';

/** A quota as the configuration states it; the defaults are in. */
export interface QuotaRule extends LimitRule {
  /** In each window. */
  readonly calls: number;
  readonly windowMs: number;
  readonly fail: 'open' | 'closed';
}

const mostAhead = 64;
/** A fiftieth of the quota: what a gateway that crashes can take with it. */
const aheadOf = 50;

/** So many calls in each window, counted in the ledger. */
export class Quota {
  readonly name: string;
  readonly calls: number;
  readonly windowMs: number;
  readonly fail: 'open' | 'closed';
  readonly scope: LimitScope;
  /** Units that a gateway takes for calls to come. */
  readonly ahead: number;

  constructor(rule: QuotaRule) {
    for (const amount of [rule.calls, rule.windowMs])
      if (!Number.isInteger(amount) || amount < 1)
        throw new Error(`quota ${rule.name}: ${amount} is no amount`);
    this.name = rule.name;
    this.calls = rule.calls;
    this.windowMs = rule.windowMs;
    this.fail = rule.fail;
    this.scope = new LimitScope(rule);
    this.ahead = Math.min(mostAhead, Math.floor(rule.calls / aheadOf));
  }
}
