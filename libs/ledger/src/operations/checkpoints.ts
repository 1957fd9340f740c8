import type { ReceiptCheckpoint } from '@uar/contracts';
import type { SqlDatabase } from '../sql/database.js';

/** What stands in a ledger where a checkpoint belongs, of any schema, of all tenants or of one; nobody has looked at its signature. */
export function storedCheckpoints(database: SqlDatabase, only?: string): ReadonlyMap<string, unknown> {
  if (!database.hasTable('checkpoints')) return new Map();
  const rows = database
    .prepare<{ only: string | null }, { tenant: string; checkpoint: string }>(
      'SELECT tenant, checkpoint FROM checkpoints WHERE CAST(@only AS TEXT) IS NULL OR tenant = @only',
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
export function checkpointRows(database: SqlDatabase): Checkpoints {
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
