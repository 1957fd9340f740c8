import type { ReceiptCheckpoint } from '@uar/contracts';
import type Database from 'better-sqlite3';

/** What stands in a ledger file where a checkpoint belongs, of any schema, of all tenants or of one; nobody has looked at its signature. */
export function storedCheckpoints(database: Database.Database, only?: string): ReadonlyMap<string, unknown> {
  const table = database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'checkpoints'`);
  if (table.get() === undefined) return new Map();
  const rows = database
    .prepare<{ only: string | null }, { tenant: string; checkpoint: string }>(
      'SELECT tenant, checkpoint FROM checkpoints WHERE @only IS NULL OR tenant = @only',
    )
    .all({ only: only ?? null });
  return new Map(rows.map(({ tenant, checkpoint }) => [tenant, parsed(checkpoint)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface Checkpoints {
  of(tenant: string): ReceiptCheckpoint | undefined;
  put(checkpoint: ReceiptCheckpoint): void;
}

/** Of an open ledger, whose checkpoints were checked when it was opened. */
export function checkpointRows(database: Database.Database): Checkpoints {
  const find = database.prepare<[string], { checkpoint: string }>(
    'SELECT checkpoint FROM checkpoints WHERE tenant = ?',
  );
  const put = database.prepare<[string, number, string]>(
    `INSERT INTO checkpoints VALUES (?, ?, ?)
     ON CONFLICT (tenant) DO UPDATE SET through_seq = excluded.through_seq, checkpoint = excluded.checkpoint`,
  );
  return {
    of: (tenant) => {
      const row = find.get(tenant);
      return row && JSON.parse(row.checkpoint);
    },
    put: (checkpoint) => void put.run(checkpoint.tenant, checkpoint.through_seq, JSON.stringify(checkpoint)),
  };
}
