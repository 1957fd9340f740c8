import { hash } from 'node:crypto';
import type { Caller, Principal } from '@uar/contracts';

/** Names of callers by which what was decided about them is remembered. */
export class CallerKeys {
  private readonly digests = new WeakMap<Principal, string>();

  keyOf({ principal, channel, ip, run_id, run_limits }: Caller): string {
    let digest = this.digests.get(principal);
    if (digest === undefined) {
      // A token renewed for the same principal sees the same.
      digest = hash('sha256', JSON.stringify({ ...principal, expires_at: 0 }), 'base64');
      this.digests.set(principal, digest);
    }
    return `${digest} ${channel} ${ip ?? ''} ${run_id} ${JSON.stringify(run_limits)}`;
  }
}
