import { InstanceId } from '@uar/contracts';
import type { SqlDatabase } from '../../sql/database.js';
import type { PendingView } from '../../recoveries.js';
import type { Store } from '../../store.js';

const purgeAtOnce = 500;

/** Views arrive sealed: this side never sees what it keeps. Purging takes expired keys, runs and quota windows along. */
export function keptCallsStore(
  database: SqlDatabase,
): Pick<Store, 'keepCall' | 'readKeptCall' | 'readPendingViews' | 'endPendingView' | 'purgeExpired'> {
  const keep = keptRows(database);
  const read = viewReader(database);
  const pending = database.prepare<[string, number, number], PendingView>(
    `SELECT tenant, call_id, principal, sealed_view AS view_json FROM kept_calls
     WHERE gateway = ? AND expires_at > ? LIMIT ?`,
  );
  const end = database.prepare<[string, string, string, string]>(
    `UPDATE kept_calls SET sealed_view = ?, gateway = NULL, closed = 1
     WHERE tenant = ? AND call_id = ? AND gateway = ?`,
  );
  const dying = [
    { table: 'kept_calls', key: 'tenant, call_id', end: 'expires_at' },
    { table: 'claimed_keys', key: 'tenant, principal, key', end: 'expires_at' },
    { table: 'runs', key: 'tenant, run_id', end: 'kept_until' },
    { table: 'quota_spent', key: 'quota, bucket', end: 'ends_at' },
    { table: 'authorizations', key: 'state_digest', end: 'kept_until' },
  ];
  const purges = dying.map(({ table, key, end }) =>
    database.prepare<[number]>(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${end} <= ? LIMIT ${purgeAtOnce})`,
    ),
  );
  return {
    keepCall: (ask) => ({ kept: keep({ ...ask, gateway: ask.pending_at ?? null }) }),
    readPendingViews: ({ gateway, limit, now }) => pending.all(gateway, now, limit),
    endPendingView: ({ tenant, call_id, gateway, view_json }) =>
      end.run(view_json, tenant, call_id, gateway).changes === 1,
    readKeptCall: read,
    purgeExpired: ({ now }) => purges.reduce((sum, purge) => sum + purge.run(now).changes, 0),
  };
}

function viewReader(database: SqlDatabase): Store['readKeptCall'] {
  const read = database.prepare<
    [string, string, number],
    { principal: string; view_json: string; pending_at: string | null }
  >(
    `SELECT principal, sealed_view AS view_json, gateway AS pending_at FROM kept_calls
     WHERE tenant = ? AND call_id = ? AND expires_at > ?`,
  );
  return ({ tenant, call_id, now }) => {
    const row = read.get(tenant, call_id, now);
    if (row === undefined) return { kind: 'not_found' };
    const { principal, view_json, pending_at } = row;
    const found = { kind: 'found', principal, view_json } as const;
    return pending_at === null ? found : { ...found, pending_at: InstanceId.parse(pending_at) };
  };
}

export interface KeptRow {
  readonly tenant: string;
  readonly call_id: string;
  readonly principal: string;
  readonly view_json: string;
  readonly expires_at: number;
  /** Where it is pending. */
  readonly gateway: string | null;
}

/** One write: false where the call was closed in place of its gateway. */
export function keptRows(database: SqlDatabase): (row: KeptRow) => boolean {
  const keep = database.prepare(
    `INSERT INTO kept_calls (tenant, call_id, principal, sealed_view, expires_at, gateway)
     VALUES (@tenant, @call_id, @principal, @view_json, @expires_at, @gateway)
     ON CONFLICT (tenant, call_id) DO UPDATE SET principal = excluded.principal, sealed_view = excluded.sealed_view,
       expires_at = excluded.expires_at, gateway = excluded.gateway
     WHERE kept_calls.closed = 0`,
  );
  return ({ tenant, call_id, principal, view_json, expires_at, gateway }) =>
    keep.run({ tenant, call_id, principal, view_json, expires_at, gateway }).changes === 1;
}
