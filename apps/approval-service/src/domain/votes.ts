import {
  principalId,
  type AnswerOf,
  type AskOf,
  type ProfileName,
  type ReceiptBody,
  type castVote,
} from '@uar/contracts';
import { approvalSteps } from './approval-steps.js';
import { approvalResources, approvalView } from './approval-view.js';
import type { Lifecycle } from './lifecycle.js';
import type {
  AgentOwners,
  Announcer,
  ApprovalRecord,
  ApprovalStore,
  Authority,
  CallHolder,
  Clock,
} from './ports.js';

type Ask = AskOf<typeof castVote>;
type Answer = AnswerOf<typeof castVote>;

export interface VotesParts {
  readonly store: ApprovalStore;
  readonly lifecycle: Lifecycle;
  readonly authority: Authority;
  readonly holder: CallHolder;
  readonly announcer: Announcer;
  readonly owners: AgentOwners;
  readonly clock: Clock;
  /** What receipts say about this deployment. */
  readonly setting: { readonly governance: 'on' | 'off'; readonly profile: ProfileName };
}

/**
 * One vote: is there a question, may this person answer it, write the answer with its receipt, then let whoever holds the
 * call say whether the votes release it. A person counts once; one rejection ends the record; of two votes that would end
 * it differently at the same instant one wins, and the other is told.
 */
export class Votes {
  readonly #parts: VotesParts;

  constructor(parts: VotesParts) {
    this.#parts = parts;
  }

  async cast(ask: Ask): Promise<Answer> {
    const { store, lifecycle, authority, owners } = this.#parts;
    const found = await store.readApproval({ approvalId: ask.approval_id });
    if (!found || found.draft.requester.tenant !== ask.caller.principal.tenant) return { kind: 'not_found' };
    const record = await lifecycle.current(found);
    if (record.status !== 'pending') return { kind: 'not_pending', status: record.status };
    const resources = await approvalResources([record], owners);
    const questions = resources.map(
      (resource) => ({ kind: 'approval', action: ask.decision, resource }) as const,
    );
    const authorized = await authority.authorize(ask.caller, questions);
    if (authorized.kind === 'unreachable') return { kind: 'unavailable' };
    const [decision] = authorized.decisions;
    if (decision?.kind !== 'allow') return { kind: 'forbidden', cause: decision?.cause ?? 'not_decided' };
    return this.#write(ask, record, authorized.policy_version);
  }

  async #write(ask: Ask, { draft }: ApprovalRecord, policyVersion: string): Promise<Answer> {
    const { store, clock, announcer } = this.#parts;
    const now = clock.now();
    const recorded = await store.recordVote({
      approvalId: draft.approval_id,
      vote: {
        voter: ask.caller.principal,
        decision: ask.decision,
        ...(ask.reason === undefined ? {} : { reason: ask.reason }),
      },
      receipt: this.#receipt(ask, draft, { now, policyVersion }),
      now,
      ...(ask.decision === 'reject' ? { to: approvalSteps.reject.to } : {}),
    });
    if (recorded.kind === 'refused') return this.#notPending(recorded.approval);
    if (ask.decision === 'approve') return this.#review(recorded.approval);
    announcer.settled(recorded.approval);
    return this.#counted(recorded.approval);
  }

  async #review(record: ApprovalRecord): Promise<Answer> {
    const { holder, lifecycle } = this.#parts;
    const { approval_id, call_id, gateway } = record.draft;
    const approvers = approversOf(record);
    const verdict = await holder.review(gateway, {
      approval_id,
      call_id,
      approvers,
      requested_at: record.createdAt,
    });
    switch (verdict) {
      case 'not_released':
        return this.#counted(record);
      // The vote stands; the same person may cast it again to have it reviewed.
      case 'unknown':
        return this.#unreviewed(approval_id);
      case 'gone': {
        const { record: ended } = await lifecycle.apply(approval_id, 'close_channel');
        return this.#notPending(ended);
      }
      case 'released': {
        const { record: released } = await lifecycle.apply(approval_id, 'release');
        return released && isReleased(released) ? this.#counted(released) : this.#notPending(released);
      }
    }
  }

  /** Whoever holds the call did not say; meanwhile its record may have ended, with that gateway for one. */
  async #unreviewed(approvalId: string): Promise<Answer> {
    const record = await this.#parts.store.readApproval({ approvalId });
    const isOver = record !== undefined && !['pending', 'approved'].includes(record.status);
    return isOver ? this.#notPending(record) : { kind: 'unavailable' };
  }

  async #notPending(record: ApprovalRecord | undefined): Promise<Answer> {
    if (!record) return { kind: 'not_found' };
    const { status } = await this.#parts.lifecycle.current(record);
    return { kind: 'not_pending', status };
  }

  #counted(record: ApprovalRecord): Answer {
    return { kind: 'counted', approval: approvalView(record, this.#parts.clock.now()) };
  }

  #receipt(
    { caller, decision }: Ask,
    draft: ApprovalRecord['draft'],
    { now, policyVersion }: { now: number; policyVersion: string },
  ): ReceiptBody {
    const { server, raw_name, definition_digest } = draft.tool;
    const { principal } = caller;
    return {
      at: new Date(now).toISOString(),
      kind: 'admin',
      action: `approval.${decision}`,
      approval_id: draft.approval_id,
      call_id: draft.call_id,
      run_id: draft.run_id,
      tenant: principal.tenant,
      principal: principalId(principal),
      ...(principal.agent_id === undefined ? {} : { agent: principal.agent_id }),
      tool: { server, raw_name, definition_digest },
      arguments_digest: draft.arguments_digest,
      policy_version: policyVersion,
      ...this.#parts.setting,
    };
  }
}

/** Two approving votes may both have been told `released`: the later one finds the record approved, or used already. */
function isReleased({ status }: ApprovalRecord): boolean {
  return status === 'approved' || status === 'consumed';
}

function approversOf(record: ApprovalRecord) {
  return record.votes.filter((vote) => vote.decision === 'approve').map((vote) => vote.voter);
}
