import { principalId, type Caller } from '@uar/contracts';
import type { Ending } from '../call/ending.js';
import type { CallLimits } from '../call/ports.js';
import type { QuotaLimits } from './quota-limits.js';
import type { RateLimits } from './rates/rate-limits.js';
import type { LimitedCall } from './limit-scope.js';

const retryUnknownMs = 1_000;

/** How calls end that rates and quotas do not let through; rates first, since they cost nothing to ask. */
export class LimitedCalls implements CallLimits {
  constructor(
    private readonly rates: RateLimits,
    private readonly quotas: QuotaLimits,
  ) {}

  refusal({ principal }: Caller, tool: string): Ending | undefined | Promise<Ending | undefined> {
    const call = { tenant: principal.tenant, principal: principalId(principal), tool };
    const admission = this.rates.admit(call);
    switch (admission.kind) {
      case 'admitted':
        return this.beyondQuota(call);
      case 'limited':
        return limited(`rate ${admission.rate}`, admission.retryAfterMs);
      case 'unknown':
        return unknown(`rate_unknown ${admission.rate}`);
    }
  }

  private beyondQuota(call: LimitedCall): undefined | Promise<Ending | undefined> {
    return this.quotas.admit(call)?.then((admission) => {
      switch (admission.kind) {
        case 'admitted':
          return undefined;
        case 'spent':
          return limited(`quota ${admission.quota}`, admission.retryAfterMs);
        case 'unknown':
          return unknown(`quota_unknown ${admission.quota}`);
      }
    });
  }
}

function limited(cause: string, retryAfterMs: number): Ending {
  return { outcome: 'rate_limited', cause, retryAfterMs };
}

function unknown(cause: string): Ending {
  return { outcome: 'unavailable', cause, retryAfterMs: retryUnknownMs };
}
