import { StoredRun } from '@uar/contracts';
import type Database from 'better-sqlite3';
import type { Store } from '../store.js';
import type { ReceiptChains } from './receipts.js';

interface Row {
  readonly revision: number;
  readonly run: string;
}

/** Runs by tenant and id, compared and set by revision. */
export function runsStore(
  database: Database.Database,
  chains: Pick<ReceiptChains, 'append'>,
): Pick<Store, 'putRun' | 'readRun'> {
  const find = database.prepare<[string, string], Row>(
    'SELECT revision, run FROM runs WHERE tenant = ? AND run_id = ?',
  );
  const put = database.prepare<[string, string, number, string, number]>(
    `INSERT INTO runs (tenant, run_id, revision, run, kept_until) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET revision = excluded.revision, run = excluded.run, kept_until = excluded.kept_until`,
  );
  return {
    putRun: ({ run, if_revision, kept_until, receipt }) => {
      const current = find.get(run.tenant, run.run_id)?.revision ?? 0;
      if (current !== if_revision) return { kind: 'conflict', revision: current };
      const revision = current + 1;
      put.run(run.tenant, run.run_id, revision, JSON.stringify(run), kept_until);
      return {
        kind: 'written',
        revision,
        ...(receipt === undefined ? {} : { receipt: chains.append(receipt) }),
      };
    },
    readRun: ({ tenant, run_id }) => {
      const row = find.get(tenant, run_id);
      if (row === undefined) return { kind: 'not_found' };
      return { kind: 'found', run: StoredRun.parse(JSON.parse(row.run)), revision: row.revision };
    },
  };
}
