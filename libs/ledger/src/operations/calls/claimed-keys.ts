import type { CallId } from '@uar/contracts';
import type { SqlDatabase } from '../../sql/database.js';
import type { Store } from '../../store.js';
import { keptRows } from './kept-calls.js';

/** Idempotency keys: the first claim stands until it expires, or somebody claims instead of its call. */
export function claimedKeysStore(database: SqlDatabase): Pick<Store, 'claimKey'> {
  const claimed = database.prepare<unknown[], { request_digest: string; call_id: CallId }>(
    `SELECT request_digest, call_id FROM claimed_keys
     WHERE tenant = @tenant AND principal = @principal AND key = @key AND expires_at > @now`,
  );
  const claim = database.prepare(
    `INSERT INTO claimed_keys (tenant, principal, key, request_digest, call_id, expires_at)
     VALUES (@tenant, @principal, @key, @request_digest, @call_id, @expires_at)
     ON CONFLICT (tenant, principal, key) DO UPDATE SET request_digest = excluded.request_digest, call_id = excluded.call_id,
       expires_at = excluded.expires_at`,
  );
  const keep = keptRows(database);
  return {
    claimKey: (ask) => {
      const { tenant, principal, key: name, now } = ask;
      const earlier = claimed.get({ tenant, principal, key: name, now });
      if (earlier !== undefined) {
        if (earlier.request_digest !== ask.request_digest) return { kind: 'other_request' };
        if (earlier.call_id !== ask.instead_of) return { kind: 'same', call_id: earlier.call_id };
      }
      const { pending, ...key } = ask;
      claim.run(key);
      if (pending !== undefined) keep({ ...key, view_json: pending.view_json, gateway: pending.gateway });
      return { kind: 'claimed' };
    },
  };
}
