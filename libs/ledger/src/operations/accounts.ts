import { longestLeaseMs, type AccountId, type Digest, type StoredAccount } from '@uar/contracts';
import type { SqlDatabase } from '../sql/database.js';
import type { Store } from '../store.js';
import type { ReceiptChains } from './receipts.js';

interface Row {
  readonly revision: number;
  readonly binding: Digest | null;
  readonly sealed: string | null;
  readonly holder: string | null;
  readonly held_until: number;
}

/** The account of a server itself; no principal has an empty id. */
const nobody = '';

/** Credentials for upstreams, sealed by others. A forgotten account stays as a row without them: its revision goes on counting. */
export function accountsStore(
  database: SqlDatabase,
  chains: Pick<ReceiptChains, 'append'>,
): Pick<Store, 'readAccount' | 'writeAccount' | 'leaseAccount'> {
  const find = database.prepare<[string, string, string], Row>(
    'SELECT revision, binding, sealed, holder, held_until FROM accounts WHERE tenant = ? AND server = ? AND principal = ?',
  );
  const put = database.prepare<[string, string, string, number, string, string | null]>(
    `INSERT INTO accounts (tenant, server, principal, revision, binding, sealed, holder, held_until)
     VALUES (?, ?, ?, ?, ?, ?, NULL, 0)
     ON CONFLICT (tenant, server, principal) DO UPDATE SET revision = excluded.revision, binding = excluded.binding,
       sealed = excluded.sealed, holder = NULL, held_until = 0`,
  );
  const hold = database.prepare<[string, string, string, string | null, number]>(
    `INSERT INTO accounts (tenant, server, principal, revision, binding, sealed, holder, held_until)
     VALUES (?, ?, ?, 0, NULL, NULL, ?, ?)
     ON CONFLICT (tenant, server, principal) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until`,
  );
  const rowOf = (account: AccountId): Row | undefined => find.get(...keyOf(account));
  return {
    readAccount: ({ account }) => ({ stored: storedOf(rowOf(account)) }),
    writeAccount: ({ account, binding, sealed, if_revision, receipt }) => {
      const row = rowOf(account);
      if ((row?.revision ?? 0) !== if_revision) return { kind: 'conflict', stored: storedOf(row) };
      put.run(...keyOf(account), if_revision + 1, binding, sealed ?? null);
      if (receipt !== undefined) chains.append(receipt);
      return { kind: 'written', revision: if_revision + 1 };
    },
    leaseAccount: ({ account, holder, lease_ms, if_revision, now }) => {
      const row = rowOf(account);
      if ((row?.revision ?? 0) !== if_revision) return { kind: 'moved', stored: storedOf(row) };
      const freeInMs = freeIn(row, holder, now);
      if (freeInMs > 0) return { kind: 'held', free_in_ms: freeInMs };
      hold.run(...keyOf(account), lease_ms > 0 ? holder : null, lease_ms > 0 ? now + lease_ms : 0);
      return { kind: 'leased' };
    },
  };
}

/** What a removed server leaves behind is nobody's: a later one of the same name does not get it. */
export function forgettingAccounts(database: SqlDatabase): (tenant: string, server: string) => void {
  const forget = database.prepare<[string, string]>(
    `UPDATE accounts SET revision = revision + 1, binding = NULL, sealed = NULL, holder = NULL, held_until = 0
     WHERE tenant = ? AND server = ?`,
  );
  const giveUp = database.prepare<[string, string]>(
    'DELETE FROM authorizations WHERE tenant = ? AND server = ?',
  );
  return (tenant, server) => {
    forget.run(tenant, server);
    giveUp.run(tenant, server);
  };
}

function keyOf({ tenant, server, principal = nobody }: AccountId): [string, string, string] {
  return [tenant, server, principal];
}

function storedOf(row: Row | undefined): StoredAccount {
  const { revision = 0, binding = null, sealed = null } = row ?? {};
  return {
    revision,
    ...(binding === null ? {} : { binding }),
    ...(sealed === null ? {} : { sealed }),
  };
}

/** A lease that ends later than the longest one does is left from a clock that was wrong. */
function freeIn(row: Row | undefined, holder: string, now: number): number {
  if (row === undefined || row.holder === null || row.holder === holder) return 0;
  const leftMs = row.held_until - now;
  return leftMs > longestLeaseMs ? 0 : Math.max(0, leftMs);
}
