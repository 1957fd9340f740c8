import { randomBytes } from 'node:crypto';
import type { ApprovalStatus, AttemptEnd, DeliveryEvent, DeliveryStatus, TenantId } from '@uar/contracts';
import type { SqlDatabase } from '../../sql/database.js';
import { membersOf } from '../../sql/members.js';
import type { DeliveryRecord } from '../../deliveries.js';
import type { ApprovalRecord } from '../../ledger.js';
import type { Input, Output, Store } from '../../store.js';
import type { ReceiptChains } from '../receipts.js';
import type { ApprovalRows } from './approval-rows.js';

interface Row {
  seq: number;
  delivery_id: string;
  tenant: TenantId;
  approval_id: string;
  event: DeliveryEvent;
  approval_status: ApprovalStatus;
  status: DeliveryStatus;
  attempts: number;
  created_at: number;
  due_at: number;
  ended_at: number | null;
  problem: string | null;
}

const keptMs = 7 * 24 * 3_600_000;
const mostEnded = 100_000;
const purgedAtOnce = 500;

/** Told of an approval's steps inside the transaction that makes them. */
export interface ApprovalNews {
  required(record: ApprovalRecord, now: number): void;
  settled(record: ApprovalRecord, now: number): void;
}

type Operations = 'dueDeliveries' | 'endAttempt' | 'listDeliveries' | 'retryDelivery';

export interface Outbox extends Pick<Store, Operations> {
  readonly news: ApprovalNews;
  /** Forgets what is too old or too much; answers how many. */
  purgeDeliveries(now: number): number;
}

/** Messages to the webhook. All pending ones of an approval are due together, and the first written goes first. */
export function outboxStore(
  database: SqlDatabase,
  approvals: ApprovalRows,
  chains: Pick<ReceiptChains, 'append'>,
): Outbox {
  const rows = rowsOf(database);
  return {
    news: {
      required: (record, now) => write(rows, { event: 'approval.required', record, now }),
      settled: (record, now) => write(rows, { event: 'approval.settled', record, now }),
    },
    dueDeliveries: (ask) => due(rows, approvals, ask),
    endAttempt: (ask) => endAttempt(rows, ask),
    listDeliveries: ({ tenant, status = null, before = Number.MAX_SAFE_INTEGER, limit }) =>
      rows.page.all({ tenant, status, before, limit }).map(recordOf),
    retryDelivery: (ask) => retry(rows, chains, ask),
    purgeDeliveries: (now) =>
      rows.purgeOld.run(now - keptMs).changes + rows.purgeBeyond.run(mostEnded).changes,
  };
}

type Rows = ReturnType<typeof rowsOf>;

function rowsOf(database: SqlDatabase) {
  return { ...reads(database), ...changes(database), ...purges(database) };
}

function reads(database: SqlDatabase) {
  const isFirst = `NOT EXISTS (
    SELECT 1 FROM deliveries earlier WHERE earlier.approval_id = deliveries.approval_id
      AND earlier.status = 'pending' AND earlier.seq < deliveries.seq)`;
  const isFree = `approval_id NOT IN (SELECT value FROM ${membersOf(database, 'busy')})`;
  return {
    due: database.prepare<[{ now: number; busy: string; limit: number }], Row>(
      `SELECT * FROM deliveries WHERE status = 'pending' AND due_at <= @now AND ${isFree} AND ${isFirst}
       ORDER BY due_at, seq LIMIT @limit`,
    ),
    nextAt: database.prepare<[{ now: number; busy: string }], { at: number | null }>(
      `SELECT min(due_at) AS at FROM deliveries WHERE status = 'pending' AND due_at > @now AND ${isFree}`,
    ),
    find: database.prepare<[string], Row>('SELECT * FROM deliveries WHERE delivery_id = ?'),
    page: database.prepare<
      [{ tenant: string; status: DeliveryStatus | null; before: number; limit: number }],
      Row
    >(
      `SELECT * FROM deliveries WHERE tenant = @tenant AND seq < @before AND (CAST(@status AS TEXT) IS NULL OR status = @status)
       ORDER BY seq DESC LIMIT @limit`,
    ),
  };
}

function changes(database: SqlDatabase) {
  return {
    insert: database.prepare(
      `INSERT INTO deliveries (delivery_id, tenant, approval_id, event, approval_status, status, attempts, created_at, due_at)
       VALUES (@deliveryId, @tenant, @approvalId, @event, @approvalStatus, 'pending', 0, @now,
         (SELECT max(due_at) FROM (
            SELECT CAST(@now AS BIGINT) AS due_at
            UNION SELECT due_at FROM deliveries WHERE approval_id = @approvalId AND status = 'pending') AS dues))`,
    ),
    end: database.prepare<
      [{ id: string; status: DeliveryStatus; attempts: number; now: number | null; problem: string | null }]
    >(
      `UPDATE deliveries SET status = @status, attempts = attempts + 1, ended_at = @now, problem = @problem
       WHERE delivery_id = @id AND status = 'pending' AND (@status = 'delivered' OR attempts = @attempts)`,
    ),
    dueAll: database.prepare<[number, string]>(
      `UPDATE deliveries SET due_at = ? WHERE approval_id = ? AND status = 'pending'`,
    ),
    revive: database.prepare<[number, string]>(
      `UPDATE deliveries SET status = 'pending', attempts = 0, due_at = ?, ended_at = NULL
       WHERE delivery_id = ? AND status = 'dead'`,
    ),
  };
}

function purges(database: SqlDatabase) {
  return {
    purgeOld: database.prepare<[number]>(
      `DELETE FROM deliveries WHERE seq IN (
         SELECT seq FROM deliveries WHERE created_at < ? ORDER BY created_at LIMIT ${purgedAtOnce})`,
    ),
    purgeBeyond: database.prepare<[number]>(
      `DELETE FROM deliveries WHERE seq IN (
         SELECT seq FROM deliveries WHERE status <> 'pending' ORDER BY seq DESC LIMIT ${purgedAtOnce} OFFSET ?)`,
    ),
  };
}

function write(
  rows: Rows,
  { event, record, now }: { event: DeliveryEvent; record: ApprovalRecord; now: number },
): void {
  const { approval_id: approvalId, requester } = record.draft;
  const deliveryId = `whk_${randomBytes(16).toString('hex')}`;
  rows.insert.run({
    deliveryId,
    tenant: requester.tenant,
    approvalId,
    event,
    approvalStatus: record.status,
    now,
  });
}

function due(
  rows: Rows,
  approvals: ApprovalRows,
  { now, busy, limit }: Input<'dueDeliveries'>,
): Output<'dueDeliveries'> {
  const away = JSON.stringify(busy);
  const found = rows.due.all({ now, busy: away, limit }).map((row) => {
    const approval = approvals.find(row.approval_id);
    if (approval === undefined) throw new Error(`${row.delivery_id} is about no approval`);
    return { delivery: recordOf(row), approval };
  });
  const at = rows.nextAt.get({ now, busy: away })?.at ?? undefined;
  return at === undefined ? { due: found } : { due: found, nextAt: at };
}

function endAttempt(rows: Rows, { deliveryId, attempts, end, now }: Input<'endAttempt'>): void {
  const found = rows.find.get(deliveryId);
  if (found === undefined) return;
  const problem = end.kind === 'delivered' ? null : end.problem;
  const status = end.kind === 'again' ? 'pending' : end.kind;
  const endedAt = end.kind === 'again' ? null : now;
  if (rows.end.run({ id: deliveryId, status, attempts, now: endedAt, problem }).changes === 0) return;
  rows.dueAll.run(nextDue(end, now), found.approval_id);
}

/** What waits behind a message goes when that does, or once it is over. */
function nextDue(end: AttemptEnd, now: number): number {
  return end.kind === 'again' ? end.at : now;
}

function retry(
  rows: Rows,
  chains: Pick<ReceiptChains, 'append'>,
  { tenant, deliveryId, receipt, now }: Input<'retryDelivery'>,
): Output<'retryDelivery'> {
  const found = rows.find.get(deliveryId);
  if (found?.tenant !== tenant) return { kind: 'not_found' };
  if (rows.revive.run(now, deliveryId).changes === 0) return { kind: 'not_dead', status: found.status };
  chains.append(receipt);
  return {
    kind: 'retried',
    delivery: recordOf({ ...found, status: 'pending', attempts: 0, due_at: now, ended_at: null }),
  };
}

function recordOf(row: Row): DeliveryRecord {
  return {
    deliveryId: row.delivery_id,
    seq: row.seq,
    tenant: row.tenant,
    approvalId: row.approval_id,
    event: row.event,
    approvalStatus: row.approval_status,
    status: row.status,
    attempts: row.attempts,
    createdAt: row.created_at,
    dueAt: row.due_at,
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
    ...(row.problem === null ? {} : { problem: row.problem }),
  };
}
