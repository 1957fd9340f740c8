import type { CallId } from '@uar/contracts';
import type Database from 'better-sqlite3';
import type { Store } from '../store.js';

const purgeAtOnce = 500;

/** Views arrive sealed: this side never sees what it keeps. */
export function keptCallsStore(
  database: Database.Database,
): Pick<Store, 'keepCall' | 'readKeptCall' | 'claimKey' | 'purgeExpired'> {
  const keep = database.prepare(
    `INSERT INTO kept_calls (tenant, call_id, principal, sealed_view, expires_at)
     VALUES (@tenant, @call_id, @principal, @view_json, @expires_at)
     ON CONFLICT DO UPDATE SET principal = excluded.principal, sealed_view = excluded.sealed_view,
       expires_at = excluded.expires_at`,
  );
  const read = database.prepare<[string, string, number], { principal: string; view_json: string }>(
    `SELECT principal, sealed_view AS view_json FROM kept_calls
     WHERE tenant = ? AND call_id = ? AND expires_at > ?`,
  );
  const claimed = database.prepare<unknown[], { request_digest: string; call_id: CallId }>(
    `SELECT request_digest, call_id FROM claimed_keys
     WHERE tenant = @tenant AND principal = @principal AND key = @key AND expires_at > @now`,
  );
  const claim = database.prepare(
    `INSERT INTO claimed_keys (tenant, principal, key, request_digest, call_id, expires_at)
     VALUES (@tenant, @principal, @key, @request_digest, @call_id, @expires_at)
     ON CONFLICT DO UPDATE SET request_digest = excluded.request_digest, call_id = excluded.call_id,
       expires_at = excluded.expires_at`,
  );
  const purges = ['kept_calls', 'claimed_keys'].map((table) =>
    database.prepare<[number]>(
      `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE expires_at <= ? LIMIT ${purgeAtOnce})`,
    ),
  );
  return {
    keepCall: (ask) => {
      keep.run(ask);
      return { kept: true };
    },
    readKeptCall: ({ tenant, call_id, now }) => {
      const row = read.get(tenant, call_id, now);
      return row ? { kind: 'found', ...row } : { kind: 'not_found' };
    },
    claimKey: (ask) => {
      const earlier = claimed.get(ask);
      if (earlier === undefined) {
        claim.run(ask);
        return { kind: 'claimed' };
      }
      if (earlier.request_digest !== ask.request_digest) return { kind: 'other_request' };
      return { kind: 'same', call_id: earlier.call_id };
    },
    purgeExpired: ({ now }) => purges.reduce((sum, purge) => sum + purge.run(now).changes, 0),
  };
}
