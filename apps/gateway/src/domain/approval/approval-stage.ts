import type { ApprovalDraft, ApprovalId, CallDecision, InstanceId } from '@uar/contracts';
import { endedInOurPlace, missing, over, type Ending, type Passed } from '../call/ending.js';
import { interruptedEnd } from '../call/interruption.js';
import type { Permission } from '../call/permission.js';
import type { Approvals, Clock } from '../call/ports.js';
import type { RunningCall } from '../call/running-call.js';
import type { Slots } from '../call/slots.js';
import type { StagedCall } from '../call/staging.js';
import { argumentsPreview } from './preview/preview.js';
import type { Release } from './release.js';
import { endOfStatus, settlement } from './settlement.js';
import type { WaitingRoom } from './waiting-room.js';

type NeedsApproval = Extract<CallDecision, { kind: 'require_approval' }>;

/** The call became one with another that waits already; it has no end of its own. */
export interface Joined {
  readonly kind: 'joined';
}

/** Stage 6: a durable question to humans, and the wait for their answer. */
export class ApprovalStage {
  constructor(
    private readonly parts: {
      readonly approvals: Approvals;
      readonly room: WaitingRoom;
      readonly release: Release;
      readonly slots: Slots;
      readonly clock: Clock;
      readonly gateway: InstanceId;
      readonly timeoutMs: number;
      newApprovalId(): ApprovalId;
      /** Where people decide it. */
      pageUrl(approvalId: ApprovalId): string;
    },
  ) {}

  async release(
    call: RunningCall,
    staged: StagedCall,
    decision: NeedsApproval,
  ): Promise<Passed<Permission> | Joined> {
    const { room, approvals } = this.parts;
    const twin = room.twinOf(call);
    if (twin !== undefined) {
      for (const waiter of call.waiters) twin.call.take(waiter);
      return { kind: 'joined' };
    }
    const draft = this.draft(call, staged, decision);
    room.enter({ approvalId: draft.approval_id, call, staged });
    const created = await approvals.create(draft);
    switch (created.kind) {
      case 'unavailable':
        return missing(created);
      case 'limited':
        return over('rate_limited', { retryAfterMs: created.retry_after_ms });
      case 'ended':
        return endedInOurPlace();
      case 'created':
        call.waitFor(created.approval);
        return this.wait(call, staged, draft);
    }
  }

  private async wait(
    call: RunningCall,
    staged: StagedCall,
    draft: ApprovalDraft,
  ): Promise<Passed<Permission>> {
    const { slots, release, approvals } = this.parts;
    slots.release();
    const settled = await settlement(call, draft, this.parts);
    slots.retake();
    switch (settled.kind) {
      case 'expired':
        await approvals.end(draft.approval_id, 'expired');
        call.trail.approvalSettled(draft.approval_id, 'expired');
        return over('approval_timeout');
      case 'interrupted':
        return this.giveUp(call, draft.approval_id, { isSettled: false });
      case 'settled': {
        call.trail.approvalSettled(draft.approval_id, settled.status);
        if (settled.status !== 'approved') return endOfStatus(settled.status);
        const released = await release.permit(call, staged, draft.approval_id);
        return released ?? this.giveUp(call, draft.approval_id, { isSettled: true });
      }
    }
  }

  /** `isSettled`: the approvers had their say, and it was told. */
  private async giveUp(
    call: RunningCall,
    approvalId: ApprovalId,
    { isSettled }: { readonly isSettled: boolean },
  ): Promise<Passed<never>> {
    const end = interruptedEnd(call) ?? over('cancelled');
    const as = recordEnd(end.kind === 'over' ? end.ending : undefined);
    await this.parts.approvals.end(approvalId, as);
    if (!isSettled) call.trail.approvalSettled(approvalId, as);
    return end;
  }

  private draft(
    call: RunningCall,
    { entry, argumentsDigest }: StagedCall,
    asked: NeedsApproval,
  ): ApprovalDraft {
    const { caller, proposed, deadlineAt } = call;
    const approvalId = this.parts.newApprovalId();
    return {
      approval_id: approvalId,
      call_id: call.callId,
      run_id: caller.run_id,
      requester: caller.principal,
      gateway: this.parts.gateway,
      tool: entry.facts,
      tool_name: entry.name,
      arguments_preview: argumentsPreview(proposed.argumentsJson, entry),
      arguments_digest: argumentsDigest,
      reasons: asked.reasons,
      quorum: asked.quorum,
      policy_version: asked.policy_version,
      expires_at: Math.min(this.parts.clock.now() + this.parts.timeoutMs, deadlineAt),
      page_url: this.parts.pageUrl(approvalId),
    };
  }
}

function recordEnd(ending: Ending | undefined): 'cancelled' | 'channel_closed' | 'expired' {
  if (ending?.outcome === 'channel_closed') return 'channel_closed';
  return ending?.outcome === 'approval_timeout' ? 'expired' : 'cancelled';
}
