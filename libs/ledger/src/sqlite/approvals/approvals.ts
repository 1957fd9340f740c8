import { principalId, type ApprovalStatus } from '@uar/contracts';
import type Database from 'better-sqlite3';
import type { ApprovalCreation, ApprovalMove, ApprovalRecord, CreateApproval } from '../../ledger.js';
import type { Input, Output, Store } from '../../store.js';
import { ApprovalRows } from './approval-rows.js';
import type { ReceiptChains } from '../receipts.js';

type Operations =
  | 'createApproval'
  | 'readApproval'
  | 'listApprovals'
  | 'recordVote'
  | 'moveApproval'
  | 'consumeApproval'
  | 'expireApprovals'
  | 'nextExpiry';

const windowMs = 60_000;

export function approvalsStore(
  database: Database.Database,
  chains: Pick<ReceiptChains, 'append'>,
): Pick<Store, Operations> {
  const rows = new ApprovalRows(database);
  return {
    createApproval: (ask) => create(rows, ask),
    readApproval: ({ approvalId }) => rows.find(approvalId),
    listApprovals: (ask) => rows.list(ask),
    moveApproval: (ask) =>
      rows.move(ask) ? moved(rows, ask.approvalId) : refused(rows.find(ask.approvalId)),
    recordVote: (ask) => recordVote(rows, chains, ask),
    consumeApproval: (ask) =>
      rows.consume(ask)
        ? { kind: 'consumed', intent: chains.append(ask.intent) }
        : { kind: 'refused', status: whyNotConsumed(rows.find(ask.approval_id), ask) },
    expireApprovals: ({ now }) => rows.expire(now),
    nextExpiry: () => rows.nextExpiry(),
  };
}

/** The same draft twice is one record: an ask whose answer was lost may be asked again. */
function create(rows: ApprovalRows, ask: CreateApproval): ApprovalCreation {
  const { draft, limits, now } = ask;
  const earlier = rows.find(draft.approval_id);
  if (earlier) {
    if (earlier.draft.call_id !== draft.call_id) throw new Error(`${draft.approval_id} is another call's`);
    return { kind: 'created', approval: earlier };
  }
  const requester = principalId(draft.requester);
  const pending = rows.pendingOf(requester, now);
  if (pending.count >= limits.maxPending) return limited((pending.first ?? now) - now);
  const recent = rows.madeSince(requester, now - windowMs);
  if (recent.count >= limits.maxNewPerMinute) return limited((recent.first ?? now) + windowMs - now);
  rows.insert(ask);
  return { kind: 'created', approval: existing(rows, draft.approval_id) };
}

function limited(waitMs: number): ApprovalCreation {
  return { kind: 'limited', retryAfterMs: Math.max(1_000, waitMs) };
}

function recordVote(
  rows: ApprovalRows,
  chains: Pick<ReceiptChains, 'append'>,
  { approvalId, vote, receipt, to, now }: Input<'recordVote'>,
): Output<'recordVote'> {
  const votable = rows.move({ approvalId, from: ['pending'], to: to ?? 'pending', when: 'live', now });
  if (!votable) return refused(rows.find(approvalId));
  const added = rows.addVote(approvalId, { ...vote, at: now });
  if (added) chains.append(receipt);
  return { kind: 'counted', approval: existing(rows, approvalId), repeated: !added };
}

function whyNotConsumed(
  record: ApprovalRecord | undefined,
  { now }: { now: number },
): ApprovalStatus | 'mismatch' {
  if (record === undefined) return 'mismatch';
  if (record.status !== 'approved') return record.status;
  return record.draft.expires_at <= now ? 'expired' : 'mismatch';
}

function moved(rows: ApprovalRows, approvalId: string): ApprovalMove {
  return { kind: 'moved', approval: existing(rows, approvalId) };
}

function refused(approval: ApprovalRecord | undefined): Extract<ApprovalMove, { kind: 'refused' }> {
  return approval ? { kind: 'refused', approval } : { kind: 'refused' };
}

function existing(rows: ApprovalRows, approvalId: string): ApprovalRecord {
  const record = rows.find(approvalId);
  if (!record) throw new Error(`${approvalId} vanished inside its own transaction`);
  return record;
}
