import { hash } from 'node:crypto';
import { matcherOf } from './glob.js';

/** A rate as the configuration states it; the defaults are in. */
export interface RateRule {
  readonly name: string;
  readonly per: 'principal' | 'tool' | 'tenant' | 'principal_tool';
  readonly calls: number;
  readonly windowMs: number;
  readonly burst: number;
  /** Patterns of public tool names; all without. */
  readonly tools?: readonly string[];
  readonly tenants?: readonly string[];
  readonly fail: 'open' | 'closed';
}

/** Whose call to which tool is asked about. */
export interface LimitedCall {
  readonly tenant: string;
  /** Cedar id: an agent spends what the user it acts for may. */
  readonly principal: string;
  /** As the caller wrote it: a name that does not exist is limited like every other. */
  readonly tool: string;
}

/**
 * One rate with its arithmetic, that of a leaky bucket: each call fills `windowMs`, each millisecond drains `calls`, and
 * what is in may not exceed `burst` calls. All numbers are whole, so that nothing is lost to rounding.
 */
export class Rate {
  readonly name: string;
  readonly fail: 'open' | 'closed';
  private readonly matches: (tool: string) => boolean;
  private readonly tenants: ReadonlySet<string> | undefined;

  constructor(private readonly rule: RateRule) {
    for (const amount of [rule.calls, rule.windowMs, rule.burst])
      if (!Number.isInteger(amount) || amount < 1)
        throw new Error(`rate ${rule.name}: ${amount} is no amount`);
    this.name = rule.name;
    this.fail = rule.fail;
    this.matches = rule.tools === undefined ? () => true : matcherOf(rule.tools);
    this.tenants = rule.tenants === undefined ? undefined : new Set(rule.tenants);
  }

  covers({ tenant, tool }: LimitedCall): boolean {
    return (this.tenants?.has(tenant) ?? true) && this.matches(tool);
  }

  /** Names the bucket of a call without saying whose it is. */
  bucketOf({ tenant, principal, tool }: LimitedCall): string {
    return hash('sha256', JSON.stringify([tenant, ...this.holder(principal, tool)]), 'base64url').slice(
      0,
      22,
    );
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

  private holder(principal: string, tool: string): readonly string[] {
    switch (this.rule.per) {
      case 'principal':
        return [principal];
      case 'tool':
        return [tool];
      case 'tenant':
        return [];
      case 'principal_tool':
        return [principal, tool];
    }
  }
}
