import { AccountId } from '@uar/contracts';
import type { SqlDatabase } from '../sql/database.js';
import type { Store } from '../store.js';

interface Row {
  readonly tenant: string;
  readonly server: string;
  readonly principal: string;
  readonly sealed: string | null;
  readonly expires_at: number;
}

/** So long it is known of a browser that comes too late, or twice, that it does. */
const rememberedMs = 3_600_000;
/** Begun and not finished, for one account; of more the oldest are given up. */
const mostOpen = 8;

/** Authorizations that browsers are about to bring back: each is given out once. */
export function authorizationsStore(
  database: SqlDatabase,
): Pick<Store, 'keepAuthorization' | 'takeAuthorization'> {
  const keep = database.prepare<[string, string, string, string, string, number, number]>(
    `INSERT INTO authorizations (state_digest, tenant, server, principal, sealed, expires_at, kept_until)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const trim = database.prepare<[string, string, string, string, string, string, number]>(
    `DELETE FROM authorizations WHERE tenant = ? AND server = ? AND principal = ? AND state_digest NOT IN (
       SELECT state_digest FROM authorizations WHERE tenant = ? AND server = ? AND principal = ?
       ORDER BY expires_at DESC LIMIT ?)`,
  );
  const find = database.prepare<[string], Row>(
    'SELECT tenant, server, principal, sealed, expires_at FROM authorizations WHERE state_digest = ?',
  );
  const spend = database.prepare<[string]>('UPDATE authorizations SET sealed = NULL WHERE state_digest = ?');
  return {
    keepAuthorization: ({ state_digest, account, sealed, expires_at }) => {
      const { tenant, server, principal = '' } = account;
      keep.run(state_digest, tenant, server, principal, sealed, expires_at, expires_at + rememberedMs);
      trim.run(tenant, server, principal, tenant, server, principal, mostOpen);
      return { kept: true };
    },
    takeAuthorization: ({ state_digest, now }) => {
      const row = find.get(state_digest);
      if (row === undefined) return { kind: 'unknown' };
      if (row.sealed === null) return { kind: 'used' };
      spend.run(state_digest);
      if (row.expires_at <= now) return { kind: 'expired' };
      const { tenant, server, principal, sealed } = row;
      const account = AccountId.parse({ tenant, server, ...(principal === '' ? {} : { principal }) });
      return { kind: 'taken', account, sealed };
    },
  };
}
