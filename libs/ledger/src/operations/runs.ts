import { StoredRun } from '@uar/contracts';
import type { SqlDatabase } from '../sql/database.js';
import type { Store } from '../store.js';
import type { ReceiptChains } from './receipts.js';

interface Row {
  readonly revision: number;
  readonly run: string;
}

const mostDue = 100;

/** Runs by tenant and id, compared and set by revision. */
export function runsStore(
  database: SqlDatabase,
  chains: Pick<ReceiptChains, 'append'>,
): Pick<Store, 'putRun' | 'readRun' | 'nextRunEnd' | 'endDueRuns'> {
  const find = database.prepare<[string, string], Row>(
    'SELECT revision, run FROM runs WHERE tenant = ? AND run_id = ?',
  );
  const put = putting(database);
  return {
    ...dueRuns(database),
    putRun: ({ run, if_revision, kept_until, receipt }) => {
      const current = find.get(run.tenant, run.run_id)?.revision ?? 0;
      if (current !== if_revision) return { kind: 'conflict', revision: current };
      const revision = current + 1;
      put(run, revision, kept_until);
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

/** When it ends by the clock, SQLite reads out of the run by itself (cf. receipts). */
function putting(database: SqlDatabase): (run: StoredRun, revision: number, keptUntil: number) => void {
  const put = (column: string, value: string) =>
    database.prepare(
      `INSERT INTO runs (tenant, run_id, revision, run, kept_until${column}) VALUES (?, ?, ?, ?, ?${value})
       ON CONFLICT (tenant, run_id) DO UPDATE SET revision = excluded.revision, run = excluded.run,
         kept_until = excluded.kept_until${column === '' ? '' : `${column} = excluded.due_at`}`,
    );
  if (database.dialect === 'sqlite') {
    const inFile = put('', '');
    return (run, revision, keptUntil) =>
      void inFile.run(run.tenant, run.run_id, revision, JSON.stringify(run), keptUntil);
  }
  const inServer = put(', due_at', ', ?');
  return (run, revision, keptUntil) => {
    const dueAt = run.status === 'active' ? run.expires_at : null;
    inServer.run(run.tenant, run.run_id, revision, JSON.stringify(run), keptUntil, dueAt);
  };
}

/** Runs that end by the clock: each is answered once, whatever is read of it later. */
function dueRuns(database: SqlDatabase): Pick<Store, 'nextRunEnd' | 'endDueRuns'> {
  const nextDue = database.prepare<[], { due_at: number | null }>(
    'SELECT min(due_at) AS due_at FROM runs WHERE due_at IS NOT NULL AND end_told = 0',
  );
  const due = database.prepare<[number, number], { tenant: string; run_id: string; run: string }>(
    `SELECT tenant, run_id, run FROM runs WHERE due_at IS NOT NULL AND end_told = 0 AND due_at <= ?
     ORDER BY due_at LIMIT ?`,
  );
  const tell = database.prepare<[string, string]>(
    'UPDATE runs SET end_told = 1 WHERE tenant = ? AND run_id = ?',
  );
  return {
    nextRunEnd: () => nextDue.get()?.due_at ?? undefined,
    endDueRuns: ({ now }) =>
      due.all(now, mostDue).map(({ tenant, run_id, run }) => {
        tell.run(tenant, run_id);
        return StoredRun.parse(JSON.parse(run));
      }),
  };
}
