import { z } from 'zod';
import { announcement, exchange } from '../exchange.js';
import { ApprovalId, CallId, Digest, EpochMs, InstanceId, IsoTime, RunId, TenantId } from '../ids.js';
import { Caller, Principal } from '../principal.js';
import { ReceiptBody, ReceiptPosition } from '../ledger/receipt.js';
import { ToolFacts } from '../catalog/tool.js';

export const ApprovalStatus = z.enum([
  'pending',
  'approved',
  'rejected',
  'expired',
  'cancelled',
  'channel_closed',
  'consumed',
]);
export type ApprovalStatus = z.output<typeof ApprovalStatus>;

export const Vote = z.strictObject({
  by: z.string(),
  decision: z.enum(['approve', 'reject']),
  reason: z.string().max(1000).optional(),
  at: IsoTime,
});

/** What approvers and the requester see (API.md 5). */
export const ApprovalView = z.strictObject({
  approval_id: ApprovalId,
  call_id: CallId,
  run_id: RunId.optional(),
  tool: z.string(),
  server: z.string(),
  requester: z.string(),
  /** Argument text with its secrets and hidden characters shown as such; empty once the approval is settled. */
  arguments_preview: z.string(),
  arguments_digest: Digest,
  definition_digest: Digest,
  risk: z.strictObject({
    level: z.enum(['low', 'medium', 'high', 'critical']),
    reasons: z.array(z.string()),
  }),
  rule: z.strictObject({ quorum: z.number().int(), approvers: z.string() }),
  votes: z.array(Vote),
  status: ApprovalStatus,
  created_at: IsoTime,
  expires_at: IsoTime,
});
export type ApprovalView = z.output<typeof ApprovalView>;

/** Everything the durable record needs; the arguments themselves stay in the accepting gateway. */
export const ApprovalDraft = z.strictObject({
  approval_id: ApprovalId,
  call_id: CallId,
  run_id: RunId,
  requester: Principal,
  /** The gateway instance that holds the arguments and reviews votes. */
  gateway: InstanceId,
  tool: ToolFacts,
  tool_name: z.string(),
  arguments_preview: z.string(),
  arguments_digest: Digest,
  reasons: z.array(z.string()),
  quorum: z.number().int().min(1),
  policy_version: z.string(),
  expires_at: EpochMs,
  /** Where a person may decide it, by the public URL of the accepting gateway. */
  page_url: z.url().optional(),
});
export type ApprovalDraft = z.output<typeof ApprovalDraft>;

/** Durable before anyone is told (DESIGN.md 9). `limited`: 20 pending or 30 new per minute of this principal. */
export const createApproval = exchange({
  subject: 'uar.v1.approval.record.create',
  ask: ApprovalDraft,
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('created'), approval: ApprovalView }),
    z.strictObject({ kind: z.literal('limited'), retry_after_ms: z.number().int() }),
    /** The call has an outcome: it was ended in its gateway's place (ADR 35). */
    z.strictObject({ kind: z.literal('ended') }),
  ]),
  deadlineMs: 2_000,
});

export const readApproval = exchange({
  subject: 'uar.v1.approval.record.read',
  ask: z.strictObject({ caller: Caller, approval_id: z.string() }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('found'), approval: ApprovalView }),
    /** Also for what the caller may not view. */
    z.strictObject({ kind: z.literal('not_found') }),
  ]),
  deadlineMs: 4_000,
});

/** Those the caller may decide, plus its own; newest first. */
export const listApprovals = exchange({
  subject: 'uar.v1.approval.record.list',
  ask: z.strictObject({
    caller: Caller,
    status: ApprovalStatus.optional(),
    cursor: z.string().optional(),
    limit: z.number().int().min(1).max(500).default(100),
  }),
  answer: z.strictObject({ approvals: z.array(ApprovalView), next_cursor: z.string().optional() }),
  deadlineMs: 5_000,
});

/** One vote. Asks the PDP (approve/reject), writes the vote and its admin receipt, then asks the accepting gateway to review. */
export const castVote = exchange({
  subject: 'uar.v1.approval.vote.cast',
  ask: z.strictObject({
    caller: Caller,
    approval_id: z.string(),
    decision: z.enum(['approve', 'reject']),
    reason: z.string().max(1000).optional(),
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('counted'), approval: ApprovalView }),
    z.strictObject({ kind: z.literal('not_found') }),
    z.strictObject({ kind: z.literal('forbidden'), cause: z.string() }),
    z.strictObject({ kind: z.literal('not_pending'), status: ApprovalStatus }),
    z.strictObject({ kind: z.literal('unavailable') }),
  ]),
  deadlineMs: 8_000,
});

/** How a record of one's own call stands, for a gateway that heard of no change. Gateways only. */
export const readApprovalStatus = exchange({
  subject: 'uar.v1.approval.status.read',
  ask: z.strictObject({ approval_id: ApprovalId, call_id: CallId }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('found'), status: ApprovalStatus }),
    z.strictObject({ kind: z.literal('not_found') }),
  ]),
  deadlineMs: 2_000,
});

/** Stage 7b: `approved -> consumed` and the intent receipt in one transaction, once, for these digests, before expiry. */
export const consumeApproval = exchange({
  subject: 'uar.v1.approval.record.consume',
  ask: z.strictObject({
    approval_id: ApprovalId,
    call_id: CallId,
    arguments_digest: Digest,
    definition_digest: Digest,
    intent: ReceiptBody,
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('consumed'), intent: ReceiptPosition }),
    z.strictObject({ kind: z.literal('refused'), status: ApprovalStatus.or(z.literal('mismatch')) }),
  ]),
  deadlineMs: 3_000,
});

/** Ends a pending (or approved, not consumed) record without a vote. `spent`: refused by policy at consumption. */
export const endApproval = exchange({
  subject: 'uar.v1.approval.record.end',
  ask: z.strictObject({
    approval_id: ApprovalId,
    as: z.enum(['cancelled', 'channel_closed', 'expired', 'spent']),
  }),
  answer: z.strictObject({ status: ApprovalStatus }),
  deadlineMs: 3_000,
});

export const approvalRequired = announcement({
  subject: 'uar.v1.event.approval.required',
  body: z.strictObject({ tenant: TenantId, approval_id: ApprovalId, call_id: CallId }),
});

export const approvalSettled = announcement({
  subject: 'uar.v1.event.approval.settled',
  body: z.strictObject({
    tenant: TenantId,
    approval_id: ApprovalId,
    call_id: CallId,
    status: ApprovalStatus,
  }),
});

/** Is this instance there? Asked of gateways whose calls have not ended: those of one that is gone are closed (ADR 35). And by a gateway whose caller waits for a call that another one holds. */
export const readPresence = exchange({
  subject: 'uar.v1.gateway.presence.read',
  reach: 'instance',
  ask: z.strictObject({}),
  answer: z.strictObject({ present: z.literal(true) }),
  deadlineMs: 400,
});

/** Asked of the gateway that holds the arguments, after each approving vote: do these votes release the call? */
export const reviewVotes = exchange({
  subject: 'uar.v1.gateway.call.review',
  reach: 'instance',
  ask: z.strictObject({
    call_id: CallId,
    approval_id: ApprovalId,
    approvers: z.array(Principal),
    requested_at: EpochMs,
  }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('released') }),
    z.strictObject({ kind: z.literal('not_released') }),
    /** Nobody here waits for it any more. */
    z.strictObject({ kind: z.literal('gone') }),
  ]),
  deadlineMs: 4_000,
});
