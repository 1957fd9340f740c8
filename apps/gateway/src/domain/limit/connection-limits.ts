import { principalId, type Principal } from '@uar/contracts';
import type { LimitedCall } from './limit-scope.js';
import { RateBuckets } from './rates/rate-buckets.js';
import { Rate } from './rates/rate.js';

/** Injection token of the ConnectionLimits. */
export const CONNECTION_LIMITS = Symbol('uar.gateway.connection-limits');

const perMinute = { windowMs: 60_000, fail: 'open' } as const;
const apart = { ...perMinute, calls: 60, burst: 60 } as const;
const together = { ...perMinute, calls: 600, burst: 300 } as const;

/** Each asks an upstream and its authorization server, and leaves something in the ledger for ten minutes. */
const beginning = [
  new Rate({ name: 'begin', per: 'principal', ...apart }),
  new Rate({ name: 'begin-together', per: 'tenant', ...together }),
];
/** Each is a question to the ledger, by anybody at all. */
const comingBack = [
  new Rate({ name: 'back', per: 'principal', ...apart }),
  new Rate({ name: 'back-together', per: 'tenant', ...together }),
];
const mostBuckets = 10_000;

/** How often accounts at upstreams may be connected, on this gateway: whoever is over it has asked nobody anything. */
export class ConnectionLimits {
  private readonly buckets = new RateBuckets(mostBuckets);

  /** `now`: whole milliseconds of a clock that is never set back. */
  constructor(private readonly now: () => number) {}

  /** Somebody begins a connection. Milliseconds to wait; 0: it is counted, and may go on. */
  begin(principal: Principal): number {
    return this.admit(beginning, { tenant: principal.tenant, principal: principalId(principal), tool: '' });
  }

  /** A browser comes back. `network`: where from; what has none shares one place. */
  comeBack(network = ''): number {
    return this.admit(comingBack, { tenant: '', principal: network, tool: '' });
  }

  /** From every rate, or from none. */
  private admit(rates: readonly Rate[], of: LimitedCall): number {
    const now = this.now();
    const buckets = rates.map((rate) => ({ rate, id: rate.scope.bucketOf(of) }));
    const waitMs = Math.max(...buckets.map((bucket) => this.buckets.waitMs(bucket, now)));
    if (waitMs === 0) for (const bucket of buckets) this.buckets.take(bucket, now, 1);
    return waitMs;
  }
}
