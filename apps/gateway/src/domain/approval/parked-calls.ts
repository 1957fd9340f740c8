import {
  agentOf,
  principalId,
  type ApprovalId,
  type ApprovalView,
  type CallId,
  type Caller,
} from '@uar/contracts';
import type { Clock } from '../call/ports.js';
import type { CallEnding } from '../call/proposed-call.js';
import type { RunningCall } from '../call/running-call.js';
import { Waiter } from '../call/waiter.js';
import type { EndedCalls } from '../execute/ended-calls.js';
import type { WaitingRoom } from './waiting-room.js';

/** Who comes back to a call that was proposed before, and waits for it. */
export interface ResumeAsk {
  readonly caller: Caller;
  readonly callId: CallId;
  readonly approvalId: ApprovalId;
  /** Milliseconds to wait for the human; for the end of what they allowed there is no limit. */
  readonly waitMs: number;
  readonly onProgress?: (paramsJson: string) => void;
  onCancel(listener: () => void): void;
}

export type Resumed =
  /** Nothing is decided; the call is parked again. */
  | { readonly kind: 'pending'; readonly approval: ApprovalView }
  /** Without its result where it had ended before this ask. */
  | { readonly kind: 'ended'; readonly ended: CallEnding }
  /** No call of this caller, or not any more. */
  | { readonly kind: 'unknown' };

/** Calls that wait for a human while nobody waits for them, until their caller comes back with their id. */
export class ParkedCalls {
  constructor(
    private readonly parts: {
      readonly room: WaitingRoom;
      readonly ended: EndedCalls;
      readonly clock: Clock;
    },
  ) {}

  resume(ask: ResumeAsk): Promise<Resumed> {
    const call = this.parts.room.find(ask.callId, ask.approvalId)?.call;
    if (call === undefined) return Promise.resolve(this.remembered(ask));
    return isOf(call, ask.caller) ? this.wait(call, ask) : Promise.resolve({ kind: 'unknown' });
  }

  private wait(call: RunningCall, ask: ResumeAsk): Promise<Resumed> {
    const { clock } = this.parts;
    return new Promise((resolve) => {
      let endTimer = (): void => undefined;
      const waiter = new Waiter(
        call,
        {
          caller: ask.caller,
          toolName: call.proposed.toolName,
          argumentsJson: call.proposed.argumentsJson,
          ...(ask.onProgress !== undefined && { onProgress: ask.onProgress }),
          onSettled: () => endTimer(),
        },
        () => clock.now(),
      );
      endTimer = clock.after(ask.waitMs, () => {
        waiter.park();
        if (call.approval !== null) resolve({ kind: 'pending', approval: call.approval });
      });
      void waiter.ended.then((ended) => {
        endTimer();
        resolve({ kind: 'ended', ended });
      });
      ask.onCancel(() => waiter.cancel());
      takeOver(call, waiter);
    });
  }

  private remembered({ caller, callId, approvalId }: ResumeAsk): Resumed {
    const found = this.parts.ended.find(callId);
    const isOwn =
      found?.owner.principal === principalId(caller.principal) &&
      found.ended.runId === caller.run_id &&
      found.ended.approval?.approval_id === approvalId;
    return isOwn ? { kind: 'ended', ended: found.ended } : { kind: 'unknown' };
  }
}

/** Whoever comes back is the one that left: to cancel now is to end the call. */
function takeOver(call: RunningCall, waiter: Waiter): void {
  for (const other of call.waiters) if (other.hold === 'parked') other.hold = 'gone';
  call.take(waiter);
}

function isOf({ owner, caller }: RunningCall, asking: Caller): boolean {
  return (
    owner.principal === principalId(asking.principal) &&
    agentOf(caller.principal) === agentOf(asking.principal) &&
    caller.run_id === asking.run_id
  );
}
