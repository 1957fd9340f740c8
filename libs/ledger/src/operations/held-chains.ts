import type { HeldChains } from '../chain/opening-check.js';
import type { SqlDatabase } from '../sql/database.js';
import { storedCheckpoints } from './checkpoints.js';

/** Tenants that have receipts, and one null. From tenant to tenant by the index: DISTINCT would look at every receipt. */
export const eachTenant = `WITH RECURSIVE each_tenant (tenant) AS (
  SELECT min(tenant) FROM receipts
  UNION ALL
  SELECT (SELECT min(tenant) FROM receipts WHERE tenant > each_tenant.tenant)
  FROM each_tenant WHERE tenant IS NOT NULL)`;

/** Of any ledger; a file of schema 1 has counted no heads yet. */
export function heldChains(database: SqlDatabase): HeldChains {
  const rows = database
    .prepare<[], { tenant: string; length: number }>(
      `${eachTenant} SELECT tenant, (SELECT max(seq) FROM receipts WHERE receipts.tenant = each_tenant.tenant) AS length
       FROM each_tenant WHERE tenant IS NOT NULL`,
    )
    .all();
  const find = database.prepare<[string, number], { receipt: unknown }>(
    'SELECT receipt FROM receipts WHERE tenant = ? AND seq = ?',
  );
  return {
    lengths: new Map(rows.map(({ tenant, length }) => [tenant, length])),
    headLines: headLines(database),
    checkpoints: storedCheckpoints(database),
    hashAt: (tenant, seq) => hashIn(find.get(tenant, seq)?.receipt),
  };
}

function hashIn(receipt: unknown): string | undefined {
  try {
    const value: unknown = JSON.parse(String(receipt));
    const hash = typeof value === 'object' && value !== null && 'hash' in value ? value.hash : undefined;
    return typeof hash === 'string' ? hash : undefined;
  } catch {
    return undefined;
  }
}

function headLines(database: SqlDatabase): number {
  if (!database.hasTable('heads_written')) return 0;
  return database.prepare<[], { lines: number }>('SELECT lines FROM heads_written').get()?.lines ?? 0;
}
