import type { KeyObject } from 'node:crypto';
import type { Receipt, TenantId } from '@uar/contracts';
import type { SqlDatabase } from '../sql/database.js';
import { signCheckpoint } from '../chain/signed-checkpoint.js';
import { beforeFirst, checkLink, type ChainPlace } from '../chain/verify-chain.js';
import { stored } from '../chain/verify-held.js';
import type { Input, Output, Store } from '../store.js';
import { checkpointRows, type Checkpoints } from './checkpoints.js';
import { eachTenant } from './held-chains.js';
import type { ReceiptChains } from './receipts.js';

type RetentionStore = Pick<Store, 'agedChains' | 'walkAged' | 'truncateReceipts' | 'sweepReceipts'>;

interface Parts {
  readonly database: SqlDatabase;
  readonly chains: ReceiptChains;
  readonly signingKey: KeyObject;
}

/** Steps so small that no write waits long for one; whoever takes them keeps the pace. */
export function retentionStore({ database, chains, signingKey }: Parts): RetentionStore {
  const checkpoints = checkpointRows(database);
  const rows = rowsOf(database);
  return {
    agedChains: ({ before }) =>
      rows.tenants.all().flatMap(({ tenant }) => {
        const through = checkpoints.of(tenant)?.through_seq ?? 0;
        const isSwept = rows.removed.get(tenant, through) === undefined;
        const oldest = rows.next.get(tenant, through)?.at;
        return isSwept && !isBefore(oldest, before) ? [] : [tenant];
      }),
    walkAged: (ask) => walkAged(rows, checkpoints, ask),
    truncateReceipts: ({ through, receipt }) => {
      const { tenant } = receipt;
      const found = chains.readReceipt({ tenant, seq: through.seq });
      if (found.kind !== 'found' || found.receipt.hash !== through.hash) return { truncated: false };
      const { at } = receipt;
      checkpoints.put(
        signCheckpoint({ tenant, through_seq: through.seq, hash: through.hash, at }, signingKey),
      );
      chains.append(receipt);
      return { truncated: true };
    },
    sweepReceipts: ({ tenant, limit }) =>
      rows.sweep.run({ tenant, through: checkpoints.of(tenant)?.through_seq ?? 0, limit }).changes,
  };
}

type Rows = ReturnType<typeof rowsOf>;

function rowsOf(database: SqlDatabase) {
  return {
    tenants: database.prepare<[], { tenant: TenantId }>(
      `${eachTenant} SELECT tenant FROM each_tenant WHERE tenant IS NOT NULL`,
    ),
    removed: database.prepare<[string, number]>(
      'SELECT 1 FROM receipts WHERE tenant = ? AND seq <= ? LIMIT 1',
    ),
    next: database.prepare<[string, number], { at: string }>(
      'SELECT at FROM receipts WHERE tenant = ? AND seq > ? ORDER BY seq LIMIT 1',
    ),
    stretch: database.prepare<[string, number, number], { seq: number; receipt: unknown; at: string }>(
      'SELECT seq, receipt, at FROM receipts WHERE tenant = ? AND seq > ? ORDER BY seq LIMIT ?',
    ),
    outcome: database.prepare<[string, string]>('SELECT 1 FROM receipts WHERE tenant = ? AND ended_call = ?'),
    sweep: database.prepare<{ tenant: string; through: number; limit: number }>(
      `DELETE FROM receipts WHERE tenant = @tenant AND seq IN (
         SELECT seq FROM receipts WHERE tenant = @tenant AND seq <= @through ORDER BY seq LIMIT @limit)`,
    ),
  };
}

function walkAged(rows: Rows, checkpoints: Checkpoints, ask: Input<'walkAged'>): Output<'walkAged'> {
  const { tenant, before, after, limit } = ask;
  const start = after ?? beginningOf(tenant, checkpoints);
  let last: ChainPlace = start;
  const stretch = rows.stretch.all(tenant, start.seq, limit);
  for (const row of stretch) {
    if (!isBefore(row.at, before)) break;
    const next = checkLink(stored(row), last, tenant);
    if (typeof next === 'string') return { kind: 'broken', at: last.seq + 1, problem: next };
    // By what was signed: a column may have been altered.
    if (!isBefore(next.at, before) || isOpen(rows, next)) break;
    last = { seq: next.seq, hash: next.hash };
  }
  if (last === start) return { kind: 'none' };
  return { kind: 'aged', end: last, more: last.seq === start.seq + limit };
}

function beginningOf(tenant: string, checkpoints: Checkpoints): ChainPlace {
  const checkpoint = checkpoints.of(tenant);
  return checkpoint ? { seq: checkpoint.through_seq, hash: checkpoint.hash } : beforeFirst;
}

/** Whoever finds out what became of a call needs its intent. */
function isOpen(rows: Rows, { kind, tenant, call_id }: Receipt): boolean {
  return kind === 'intent' && call_id !== undefined && rows.outcome.get(tenant, call_id) === undefined;
}

function isBefore(at: string | undefined, before: number): boolean {
  return at !== undefined && Date.parse(at) < before;
}
