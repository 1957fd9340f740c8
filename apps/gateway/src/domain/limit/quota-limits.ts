import type { Quota } from './quota.js';
import type { QuotaLeases, Unit } from './quota-leases.js';
import type { LimitedCall } from './limit-scope.js';

export type QuotaAdmission =
  | { readonly kind: 'admitted' }
  /** Nothing is left in this window; the wait is until the next one. */
  | { readonly kind: 'spent'; readonly quota: string; readonly retryAfterMs: number }
  /** The ledger did not answer, and the quota fails closed. */
  | { readonly kind: 'unknown'; readonly quota: string };

export interface QuotaLimitsParts {
  readonly quotas: readonly Quota[];
  readonly leases: QuotaLeases;
  readonly isKnownTool: (tenant: string, tool: string) => boolean;
}

/** What is called that no tool has as its name counts as one: nobody fills the ledger with invented names. */
const unknownTool = '?';

/** The configured quotas. A call takes from every quota that covers it, or from none. */
export class QuotaLimits {
  constructor(private readonly parts: QuotaLimitsParts) {}

  /** Undefined: no quota covers this call. */
  admit(call: LimitedCall): Promise<QuotaAdmission> | undefined {
    const covering = this.parts.quotas.filter(({ scope }) => scope.covers(call));
    return covering.length === 0 ? undefined : this.takeAll(covering, call);
  }

  private async takeAll(quotas: readonly Quota[], call: LimitedCall): Promise<QuotaAdmission> {
    const { leases, isKnownTool } = this.parts;
    const counted = isKnownTool(call.tenant, call.tool) ? call : { ...call, tool: unknownTool };
    const units = await Promise.all(
      quotas.map(async (quota) => ({
        quota,
        unit: await leases.take({ quota, bucket: quota.scope.bucketOf(counted) }),
      })),
    );
    const refusals = units.flatMap(({ quota, unit }) => refusalOf(quota, unit));
    if (refusals.length === 0) return { kind: 'admitted' };
    for (const { unit } of units) if (unit.kind === 'taken') leases.putBack(unit);
    return refusals.reduce(firmer);
  }
}

type Refusal = Exclude<QuotaAdmission, { kind: 'admitted' }>;

function refusalOf({ name, fail }: Quota, unit: Unit): Refusal[] {
  switch (unit.kind) {
    case 'taken':
      return [];
    case 'spent':
      return [{ kind: 'spent', quota: name, retryAfterMs: unit.retryAfterMs }];
    case 'unknown':
      return fail === 'closed' ? [{ kind: 'unknown', quota: name }] : [];
  }
}

/** The longest wait; what is known before what is not. */
function firmer(one: Refusal, two: Refusal): Refusal {
  if (two.kind === 'unknown') return one;
  return one.kind === 'unknown' || one.retryAfterMs < two.retryAfterMs ? two : one;
}
