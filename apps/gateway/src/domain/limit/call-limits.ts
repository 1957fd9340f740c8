import { principalId, type Caller } from '@uar/contracts';
import type { Ending } from '../call/ending.js';
import type { CallLimits } from '../call/ports.js';
import type { RateLimits } from './rate-limits.js';

const retryUnknownMs = 1_000;

/** How calls end that the rates do not let through. */
export class RatedCalls implements CallLimits {
  constructor(private readonly limits: RateLimits) {}

  refusal({ principal }: Caller, toolName: string): Ending | undefined {
    const admission = this.limits.admit({
      tenant: principal.tenant,
      principal: principalId(principal),
      tool: toolName,
    });
    switch (admission.kind) {
      case 'admitted':
        return undefined;
      case 'limited':
        return {
          outcome: 'rate_limited',
          cause: `rate ${admission.rate}`,
          retryAfterMs: admission.retryAfterMs,
        };
      case 'unknown':
        return {
          outcome: 'unavailable',
          cause: `rate_unknown ${admission.rate}`,
          retryAfterMs: retryUnknownMs,
        };
    }
  }
}
