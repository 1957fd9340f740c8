import type { ApprovalId, CallId } from '@uar/contracts';
import type { RunningCall } from '../call/running-call.js';
import type { StagedCall } from '../call/staging.js';

/** A call about which a human is asked, with all that a vote on it must be judged by. */
export interface WaitingCall {
  readonly approvalId: ApprovalId;
  readonly call: RunningCall;
  readonly staged: StagedCall;
}

/** The calls of this gateway that wait for a human or were released by one, until they end. */
export class WaitingRoom {
  private readonly byKey = new Map<string, WaitingCall>();
  private readonly byCall = new Map<CallId, WaitingCall>();

  get size(): number {
    return this.byCall.size;
  }

  all(): readonly WaitingCall[] {
    return [...this.byCall.values()];
  }

  enter(waiting: WaitingCall): void {
    this.byKey.set(keyOf(waiting.call), waiting);
    this.byCall.set(waiting.call.callId, waiting);
  }

  leave(call: RunningCall): void {
    if (!this.byCall.delete(call.callId)) return;
    this.byKey.delete(keyOf(call));
  }

  /** The same principal's same call: an impatient retry joins it (DESIGN.md 9). */
  twinOf(call: RunningCall): WaitingCall | undefined {
    return this.byKey.get(keyOf(call));
  }

  find(callId: CallId, approvalId: ApprovalId): WaitingCall | undefined {
    const waiting = this.byCall.get(callId);
    return waiting?.approvalId === approvalId ? waiting : undefined;
  }
}

function keyOf({ owner, caller, proposed, argumentsDigest }: RunningCall): string {
  const agent = caller.principal.agent_id ?? '';
  return JSON.stringify([owner.principal, agent, caller.run_id, proposed.toolName, argumentsDigest]);
}
