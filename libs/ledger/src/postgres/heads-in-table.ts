import type { FoundHeads } from '../chain/opening-check.js';
import { parseHead, type StoredHeads } from '../chain/known-heads.js';
import type { HeadSigner, SignedHead } from '../chain/signed-head.js';
import { LedgerError } from '../ledger-error.js';
import { eachTenant } from '../operations/held-chains.js';
import type { HeadsBook } from '../operations/group-commit.js';
import type { ReceiptChains } from '../operations/receipts.js';
import type { SqlDatabase } from '../sql/database.js';
import type { PostgresDatabase } from './postgres-database.js';

/** Heads in the transaction of the receipts that they cover: no receipt is ever without one. */
export function headsInTable(database: SqlDatabase, chains: ReceiptChains, sign: HeadSigner): HeadsBook {
  const insert = database.prepare<[string, number, string]>('INSERT INTO signed_heads VALUES (?, ?, ?)');
  const count = database.prepare<[number]>('UPDATE heads_written SET lines = lines + ?');
  return {
    before: () => undefined,
    within: () => {
      const heads = chains.grownHeads();
      for (const head of heads) insert.run(head.tenant, head.seq, JSON.stringify(sign(head)));
      if (heads.length > 0) count.run(heads.length);
    },
    after: () => undefined,
  };
}

/** As an opening looks at them: of each tenant the last. Throws `corrupt` where that is none. */
export function lastHeadsIn(database: PostgresDatabase): FoundHeads {
  const rows = database
    .prepare<[], { tenant: string; line: string }>(
      `${eachTenant}, known (tenant) AS (
         SELECT tenant FROM each_tenant UNION SELECT DISTINCT tenant FROM signed_heads)
       SELECT tenant, (SELECT line FROM signed_heads WHERE signed_heads.tenant = known.tenant ORDER BY seq DESC LIMIT 1) AS line
       FROM known WHERE tenant IS NOT NULL`,
    )
    .all();
  const last = new Map<string, SignedHead>();
  for (const { tenant, line } of rows) {
    const head = line === null ? undefined : parseHead(line);
    if (head && head.tenant === tenant) last.set(tenant, head);
    else if (line !== null)
      throw new LedgerError('corrupt', `a line of ${nameOf(database)} is not a signed head`);
  }
  const wayOut =
    'Restore a dump of the whole database (pg_restore), or give the ledger an empty schema to start a new one';
  const lostEnd = 'as when receipts were deleted or tables put in from different dumps';
  return { name: nameOf(database), wayOut, lostEnd, lines: countOf(database), last, maxUncovered: 0 };
}

/** As a verification looks at them: all of a tenant, or of all tenants. */
export function storedHeads(database: PostgresDatabase, tenant?: string): StoredHeads {
  const rows = database
    .prepare<{ tenant: string | null }, { line: string }>(
      'SELECT line FROM signed_heads WHERE CAST(@tenant AS TEXT) IS NULL OR tenant = @tenant ORDER BY tenant, seq',
    )
    .iterate({ tenant: tenant ?? null });
  return { name: nameOf(database), count: countOf(database), lines: linesOf(rows) };
}

function* linesOf(rows: Iterable<{ readonly line: string }>): Generator<string> {
  for (const { line } of rows) yield line;
}

function countOf(database: PostgresDatabase): number {
  return (
    database.prepare<[], { count: number }>('SELECT count(*) AS count FROM signed_heads').get()?.count ?? 0
  );
}

function nameOf(database: PostgresDatabase): string {
  return `table signed_heads at ${database.name}`;
}
