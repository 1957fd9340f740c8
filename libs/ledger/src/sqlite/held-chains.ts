import type Database from 'better-sqlite3';
import type { HeldChains } from '../chain/opening-check.js';
import { storedCheckpoints } from './checkpoints.js';

/** Of any ledger file; one of schema 1 has counted no heads yet. */
export function heldChains(database: Database.Database): HeldChains {
  const rows = database
    .prepare<[], { tenant: string; length: number }>(
      'SELECT tenant, max(seq) AS length FROM receipts GROUP BY tenant',
    )
    .all();
  const hash = database.prepare<[string, number], { hash: string | null }>(
    `SELECT json_extract(receipt, '$.hash') AS hash FROM receipts WHERE tenant = ? AND seq = ?`,
  );
  return {
    lengths: new Map(rows.map(({ tenant, length }) => [tenant, length])),
    headLines: headLines(database),
    checkpoints: storedCheckpoints(database),
    hashAt: (tenant, seq) => hash.get(tenant, seq)?.hash ?? undefined,
  };
}

function headLines(database: Database.Database): number {
  const counts = database
    .prepare<[], { name: string }>(`SELECT name FROM sqlite_master WHERE name = 'heads_written'`)
    .get();
  if (!counts) return 0;
  return database.prepare<[], { lines: number }>('SELECT lines FROM heads_written').get()?.lines ?? 0;
}
