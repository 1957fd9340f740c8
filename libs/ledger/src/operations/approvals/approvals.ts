import { principalId, type ApprovalStatus, type ReceiptPosition } from '@uar/contracts';
import type { ApprovalCreation, ApprovalMove, ApprovalRecord, CreateApproval } from '../../ledger.js';
import type { Input, Output, Store } from '../../store.js';
import type { OpenCalls } from '../calls/open-calls.js';
import type { ApprovalNews } from './outbox.js';
import type { ReceiptChains } from '../receipts.js';
import type { ApprovalRows } from './approval-rows.js';

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

export interface ApprovalParts {
  readonly rows: ApprovalRows;
  readonly chains: Pick<ReceiptChains, 'append' | 'hasEnded'>;
  readonly open: OpenCalls;
  readonly news: ApprovalNews;
}

export function approvalsStore(parts: ApprovalParts): Pick<Store, Operations> {
  const { rows, news } = parts;
  return {
    createApproval: (ask) => create(parts, ask),
    readApproval: ({ approvalId }) => rows.find(approvalId),
    listApprovals: (ask) => rows.list(ask),
    moveApproval: (ask) => move(rows, news, ask),
    recordVote: (ask) => recordVote(parts, ask),
    consumeApproval: (ask) => consume(parts, ask),
    expireApprovals: ({ now }) => {
      const ended = rows.expire(now);
      for (const record of ended) news.settled(record, now);
      return ended;
    },
    nextExpiry: () => rows.nextExpiry(),
  };
}

/** The same draft twice is one record: an ask whose answer was lost may be asked again. */
function create({ rows, chains, open, news }: ApprovalParts, ask: CreateApproval): ApprovalCreation {
  const { draft, limits, now } = ask;
  const earlier = rows.find(draft.approval_id);
  if (earlier) {
    if (earlier.draft.call_id !== draft.call_id) throw new Error(`${draft.approval_id} is another call's`);
    return { kind: 'created', approval: earlier };
  }
  if (chains.hasEnded(draft.requester.tenant, draft.call_id)) return { kind: 'ended' };
  const requester = principalId(draft.requester);
  const pending = rows.pendingOf(requester, now);
  if (pending.count >= limits.maxPending) return limited((pending.first ?? now) - now);
  const recent = rows.madeSince(requester, now - windowMs);
  if (recent.count >= limits.maxNewPerMinute) return limited((recent.first ?? now) + windowMs - now);
  rows.insert(ask);
  open.asked(draft);
  const approval = existing(rows, draft.approval_id);
  news.required(approval, now);
  return { kind: 'created', approval };
}

function consume(parts: ApprovalParts, ask: Input<'consumeApproval'>): Output<'consumeApproval'> {
  const { rows, chains } = parts;
  if (chains.hasEnded(ask.intent.tenant, ask.call_id)) return { kind: 'refused', status: 'channel_closed' };
  if (rows.consume(ask)) return { kind: 'consumed', intent: intended(parts, ask) };
  return { kind: 'refused', status: whyNotConsumed(rows.find(ask.approval_id), ask) };
}

function intended(
  { rows, chains, open }: ApprovalParts,
  { approval_id, intent }: Input<'consumeApproval'>,
): ReceiptPosition {
  const { seq, hash } = chains.append(intent);
  open.intended(intent, existing(rows, approval_id).draft.gateway, seq);
  return { seq, hash };
}

function limited(waitMs: number): ApprovalCreation {
  return { kind: 'limited', retryAfterMs: Math.max(1_000, waitMs) };
}

interface VoteParts {
  readonly rows: ApprovalRows;
  readonly chains: Pick<ReceiptChains, 'append'>;
  readonly news: ApprovalNews;
}

function recordVote(
  { rows, chains, news }: VoteParts,
  { approvalId, vote, receipt, to, now }: Input<'recordVote'>,
): Output<'recordVote'> {
  const votable = rows.move({ approvalId, from: ['pending'], to: to ?? 'pending', when: 'live', now });
  if (!votable) return refused(rows.find(approvalId));
  const added = rows.addVote(approvalId, { ...vote, at: now });
  if (added) chains.append(receipt);
  const approval = existing(rows, approvalId);
  if (approval.status !== 'pending') news.settled(approval, now);
  return { kind: 'counted', approval, repeated: !added };
}

function whyNotConsumed(
  record: ApprovalRecord | undefined,
  { now }: { now: number },
): ApprovalStatus | 'mismatch' {
  if (record === undefined) return 'mismatch';
  if (record.status !== 'approved') return record.status;
  return record.draft.expires_at <= now ? 'expired' : 'mismatch';
}

/** A record that was used is no news: it has been settled before, by its approval. */
function move(rows: ApprovalRows, news: ApprovalNews, ask: Input<'moveApproval'>): ApprovalMove {
  if (!rows.move(ask)) return refused(rows.find(ask.approvalId));
  const approval = existing(rows, ask.approvalId);
  if (approval.status !== 'consumed') news.settled(approval, ask.now);
  return { kind: 'moved', approval };
}

function refused(approval: ApprovalRecord | undefined): Extract<ApprovalMove, { kind: 'refused' }> {
  return approval ? { kind: 'refused', approval } : { kind: 'refused' };
}

function existing(rows: ApprovalRows, approvalId: string): ApprovalRecord {
  const record = rows.find(approvalId);
  if (!record) throw new Error(`${approvalId} vanished inside its own transaction`);
  return record;
}
