import { outcomes, type CallId, type Caller, type ReceiptPosition } from '@uar/contracts';
import type { WaitingRoom } from '../approval/waiting-room.js';
import { outcomeOf, type ReceiptSetting } from '../receipt/receipt-bodies.js';
import type { EventSink } from '../event/ports.js';
import type { Ending } from './ending.js';
import type { Approvals, CallLimits, Clock, EndObserver, FaultLog, Receipts } from './ports.js';
import type { CallHandle, CallPipeline, EndedCall, ProposedCall } from './proposed-call.js';
import { RunningCall } from './running-call.js';
import { Waiter } from './waiter.js';
import type { Slots } from './slots.js';
import { WholeCall } from './whole-call.js';

/** What a call goes through once it is taken, until it ends; `joined`: it goes on as part of another one. */
export interface Stages {
  pass(call: RunningCall): Promise<Ending | 'joined'>;
}

export interface PipelineParts {
  readonly stages: { readonly tool: Stages; readonly item: Stages };
  readonly approvals: Approvals;
  readonly receipts: Receipts;
  readonly room: WaitingRoom;
  readonly limits: CallLimits;
  readonly slots: Slots;
  readonly clock: Clock;
  readonly setting: ReceiptSetting;
  readonly fault: FaultLog;
  readonly onEnd: EndObserver;
  readonly events: EventSink;
  newCallId(): CallId;
}

const retryAfterOverloadMs = 1_000;
const unwritten = 'receipts_unwritten';
/** Events are told of tools alone: what is read is in no stream. */
const unheard: EventSink = { note: () => undefined };
const noReceipt: Promise<ReceiptPosition | null> = Promise.resolve(null);

/** The life of a call (DESIGN.md 3): every proposed call ends in exactly one outcome, said once everywhere. */
export class Pipeline implements CallPipeline {
  private readonly inProgress = new Map<string, RunningCall>();
  private idle: (() => void) | undefined;
  private closed = false;

  constructor(private readonly parts: PipelineParts) {}

  propose(proposed: ProposedCall): CallHandle {
    const { clock } = this.parts;
    const events = proposed.about === undefined ? this.parts.events : unheard;
    const call = new RunningCall(proposed.callId ?? this.parts.newCallId(), proposed, { clock, events });
    const waiter = new Waiter(call, proposed, () => clock.now());
    call.take(waiter);
    this.inProgress.set(call.callId, call);
    void this.live(call);
    return waiter;
  }

  find(callId: string): CallHandle | undefined {
    const call = this.inProgress.get(callId);
    return call === undefined ? undefined : new WholeCall(call, () => this.parts.clock.now());
  }

  /** Who made a call that has not ended. */
  callerOf(callId: string): Caller | undefined {
    return this.inProgress.get(callId)?.caller;
  }

  running(callId: CallId): RunningCall | undefined {
    return this.inProgress.get(callId);
  }

  /** Every call that has not ended. */
  get calls(): Iterable<RunningCall> {
    return this.inProgress.values();
  }

  get inFlight(): number {
    return this.inProgress.size;
  }

  /** Takes no new calls; those that wait for a human end as `channel_closed`. Resolves when every call has ended. */
  async close(): Promise<void> {
    this.closed = true;
    for (const call of this.inProgress.values()) call.interrupt('abandoned');
    if (this.inProgress.size === 0) return;
    await new Promise<void>((resolve) => {
      this.idle = resolve;
    });
  }

  private async live(call: RunningCall): Promise<void> {
    const { limits, slots, receipts } = this.parts;
    const refused = await limits.refusal(call.caller, call.proposed.toolName);
    if (refused !== undefined) return this.finish(call, refused);
    if (!slots.tryTake())
      return this.finish(call, { outcome: 'overloaded', retryAfterMs: retryAfterOverloadMs });
    const endTimer = this.deadline(call);
    const ending = this.closedFor(receipts) ?? (await this.guarded(call));
    endTimer();
    slots.release();
    if (ending === 'joined') return this.forget(call);
    await this.refreshApproval(call);
    this.finish(call, ending);
  }

  private closedFor(receipts: Receipts): Ending | undefined {
    if (this.closed) return { outcome: 'unavailable', cause: 'gateway_stopping' };
    return receipts.accepting() ? undefined : { outcome: 'unavailable', cause: unwritten };
  }

  /** A bug of ours ends the call like everything else does. */
  private async guarded(call: RunningCall): Promise<Ending | 'joined'> {
    try {
      const { tool, item } = this.parts.stages;
      return await (call.proposed.about === undefined ? tool : item).pass(call);
    } catch (error) {
      return { outcome: 'internal_fault', faultId: this.parts.fault(error, call.callId) };
    }
  }

  private deadline(call: RunningCall): () => void {
    const { deadlineMs } = call.proposed;
    if (deadlineMs === undefined) return () => undefined;
    return this.parts.clock.after(deadlineMs, () => call.interrupt('deadline'));
  }

  private async refreshApproval(call: RunningCall): Promise<void> {
    if (call.approval === null) return;
    const view = await this.parts.approvals.view(call.proposed.caller, call.approval.approval_id);
    call.approval = view ?? { ...call.approval, arguments_preview: '' };
  }

  private finish(call: RunningCall, ending: Ending): void {
    const { room, clock, onEnd } = this.parts;
    room.leave(call);
    const ended = this.endedCall(call, ending, clock.now());
    onEnd(ended, call.owner);
    this.forget(call);
    call.end(ended);
  }

  private endedCall(call: RunningCall, ending: Ending, now: number): EndedCall {
    const { cause, ...shown } = ending;
    const hidden = ending.outcome === 'unknown_tool';
    const receipt = this.record(call, cause === undefined ? shown : { ...shown, cause }, now);
    return {
      ...shown,
      kind: 'ended',
      callId: call.callId,
      runId: call.caller.run_id,
      toolName: call.proposed.toolName,
      message: outcomes[ending.outcome].text,
      decision: hidden ? null : call.decision,
      approval: hidden ? null : call.approval,
      intent: call.intent,
      receipt: hidden ? noReceipt : receipt,
      durationMs: now - call.startedAt,
    };
  }

  private record(call: RunningCall, ending: Ending, now: number): Promise<ReceiptPosition | null> {
    const body = outcomeOf(call, ending, { setting: this.parts.setting, at: now });
    call.resultDigest = body.result_digest;
    if (!isCounted(ending)) return this.parts.receipts.outcome(body);
    this.parts.receipts.limited(body);
    return noReceipt;
  }

  private forget(call: RunningCall): void {
    this.inProgress.delete(call.callId);
    if (this.inProgress.size === 0) this.idle?.();
  }
}

/** Refused before anything was staged, and maybe very often: counted, as a receipt each would fill what receipts wait in. */
function isCounted({ outcome, cause }: Ending): boolean {
  return outcome === 'rate_limited' || outcome === 'overloaded' || cause === unwritten;
}
