import type { Bus } from '@uar/bus';
import {
  TenantId,
  approvalSettled,
  castVote,
  consumeApproval,
  createApproval,
  endApproval,
  listApprovals,
  readApproval,
  readApprovalStatus,
  reviewVotes,
  type AnswerOf,
  type ApprovalDraft,
  type ApprovalStatus,
  type AskOf,
  type Principal,
  type ReceiptBody,
  type ReceiptPosition,
} from '@uar/contracts';
import { viewOf } from '../domain/call-spec/facts.fixture.js';
import { pageOf } from './page.fixture.js';

interface ApprovalRecord {
  readonly draft: ApprovalDraft;
  status: ApprovalStatus;
  readonly approvers: Principal[];
}

/** The ledger's approvals, kept in memory. */
export class MemoryApprovals {
  /** Approvals on one page of their list. */
  mostListed = Infinity;
  readonly records = new Map<string, ApprovalRecord>();

  constructor(
    private readonly bus: Bus,
    append: (intent: ReceiptBody) => ReceiptPosition,
  ) {
    bus.answer(createApproval, (draft) => {
      const record: ApprovalRecord = { draft, status: 'pending', approvers: [] };
      this.records.set(draft.approval_id, record);
      return { kind: 'created', approval: viewOf(record.draft, record.status) };
    });
    bus.answer(castVote, (ask) => this.vote(ask));
    bus.answer(readApproval, ({ approval_id }) => {
      const record = this.records.get(approval_id);
      return record
        ? { kind: 'found', approval: viewOf(record.draft, record.status) }
        : { kind: 'not_found' };
    });
    bus.answer(listApprovals, ({ status, cursor, limit }) => {
      const all = [...this.records.values()].map((it) => viewOf(it.draft, it.status));
      const wanted = all.filter((it) => status === undefined || it.status === status);
      return pageOf(wanted, { cursor, limit: Math.min(limit, this.mostListed) });
    });
    bus.answer(readApprovalStatus, ({ approval_id }) => {
      const record = this.records.get(approval_id);
      if (record === undefined) return { kind: 'not_found' };
      return { kind: 'found', status: record.status };
    });
    bus.answer(consumeApproval, ({ approval_id, intent }) => {
      const record = this.records.get(approval_id);
      if (record?.status !== 'approved') return { kind: 'refused', status: record?.status ?? 'mismatch' };
      record.status = 'consumed';
      return { kind: 'consumed', intent: append(intent) };
    });
    bus.answer(endApproval, ({ approval_id, as }) => {
      const record = this.records.get(approval_id);
      if (record === undefined) throw new Error('no such approval');
      record.status = as === 'spent' ? 'consumed' : as;
      return { status: record.status };
    });
  }

  settle(approvalId: string, status: ApprovalStatus): void {
    const record = this.records.get(approvalId);
    if (record === undefined) throw new Error('no such approval');
    record.status = status;
    const { approval_id, call_id } = record.draft;
    this.bus.announce(approvalSettled, {
      tenant: TenantId.parse('default'),
      approval_id,
      call_id,
      status,
    });
  }

  private async vote(ask: AskOf<typeof castVote>): Promise<AnswerOf<typeof castVote>> {
    const record = this.records.get(ask.approval_id);
    if (record === undefined) return { kind: 'not_found' };
    if (record.status !== 'pending') return { kind: 'not_pending', status: record.status };
    if (ask.decision === 'reject') {
      this.settle(ask.approval_id, 'rejected');
      return { kind: 'counted', approval: viewOf(record.draft, record.status) };
    }
    const approvers = [...record.approvers, ask.caller.principal];
    const { approval_id, call_id, gateway } = record.draft;
    const review = { approval_id, call_id, approvers, requested_at: 1 };
    const reply = await this.bus.ask(reviewVotes, review, { to: gateway });
    if (reply.kind === 'fault') return { kind: 'unavailable' };
    record.approvers.push(ask.caller.principal);
    if (reply.value.kind === 'released') this.settle(approval_id, 'approved');
    return { kind: 'counted', approval: viewOf(record.draft, record.status) };
  }
}
