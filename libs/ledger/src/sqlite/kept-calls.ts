import type Database from 'better-sqlite3';
import type { Store } from '../store.js';

const purgeAtOnce = 500;

/** Views arrive sealed: this side never sees what it keeps. Purging takes expired keys, runs and quota windows along. */
export function keptCallsStore(
  database: Database.Database,
): Pick<Store, 'keepCall' | 'readKeptCall' | 'purgeExpired'> {
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
  const dying = {
    kept_calls: 'expires_at',
    claimed_keys: 'expires_at',
    runs: 'kept_until',
    quota_spent: 'ends_at',
  };
  const purges = Object.entries(dying).map(([table, end]) =>
    database.prepare<[number]>(
      `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${end} <= ? LIMIT ${purgeAtOnce})`,
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
    purgeExpired: ({ now }) => purges.reduce((sum, purge) => sum + purge.run(now).changes, 0),
  };
}
