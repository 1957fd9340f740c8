import {
  agentOf,
  principalId,
  type ApprovalId,
  type ApprovalView,
  type CallId,
  type Caller,
} from '@uar/contracts';
import type { Clock } from '../call/ports.js';
import type { CallEnding, CallHandle, ProposedCall } from '../call/proposed-call.js';
import type { RunningCall } from '../call/running-call.js';
import type { Waiter } from '../call/waiter.js';
import type { CallClient } from '../client/call-client.js';
import type { Declared } from '../client/declared.js';
import type { BroughtAnswers, ParkedAsk } from '../client/parked-asks.js';
import type { EndedCalls } from '../execute/ended-calls.js';
import type { Left } from '../execute/execution.js';
import { Resumption } from './resumption.js';

/** Who comes back to a call that was proposed before, and waits for it. */
export interface ResumeAsk {
  readonly caller: Caller;
  readonly callId: CallId;
  /** Of a call that waited for a human when its caller left it. */
  readonly approvalId?: ApprovalId;
  /** Milliseconds to wait for the human; for the end of what they allowed there is no limit. */
  readonly waitMs: number;
  /** To what the upstream asked. */
  readonly answers?: BroughtAnswers;
  /** What its client can be asked from now on. */
  readonly declared: Declared;
  /** Milliseconds after which it goes on without its caller, unless it ends or asks before. */
  readonly taskAfterMs?: number;
  readonly onProgress?: (paramsJson: string) => void;
  onCancel(listener: () => void): void;
}

/** A call that goes on when its client has answered. */
export interface AskedCall {
  readonly callId: CallId;
  readonly asks: readonly ParkedAsk[];
  readonly shown: number;
  /** Epoch milliseconds after which it is given up. */
  readonly until: number;
}

export type Resumed =
  /** Nothing is decided; the call is parked again. */
  | { readonly kind: 'pending'; readonly approval: ApprovalView }
  /** Its upstream waits for the client; the call is parked again. */
  | { readonly kind: 'asked'; readonly asked: AskedCall }
  /** It goes on without its caller, and is kept; CallView as JSON text. */
  | { readonly kind: 'left'; readonly viewJson: string }
  /** Without its result where it had ended before this ask. */
  | { readonly kind: 'ended'; readonly ended: CallEnding }
  /** No call of this caller, or not any more. */
  | { readonly kind: 'unknown' };

/** How long a client may take to come back with its answers; a little less than what upstreams ask is waited for at all. */
const answerMs = 9 * 60_000;

/** Calls that wait for a human, or for their client, while nobody waits for them, until their caller comes back with their id. */
export class ParkedCalls {
  constructor(
    private readonly parts: {
      /** A call that has not ended. */
      running(callId: CallId): RunningCall | undefined;
      readonly ended: EndedCalls;
      readonly clock: Clock;
      /** Nobody who waits is needed from then on. */
      readonly leave: (handle: CallHandle) => Promise<Left>;
    },
  ) {}

  /** Its client is sent away with what the upstream asks. Undefined: nothing is asked any more. */
  sendAway(callId: CallId): AskedCall | undefined {
    const call = this.parts.running(callId);
    const client = call?.client;
    if (call === undefined || client === undefined || client.asks.size === 0) return undefined;
    const now = this.parts.clock.now();
    const until = Math.min(now + answerMs, call.deadlineAt);
    client.expect(until - now, () => {
      client.asks.end();
      call.forsake();
    });
    return { callId, asks: client.asks.list(), shown: client.asks.count, until };
  }

  resume(ask: ResumeAsk): Promise<Resumed> {
    const call = this.parts.running(ask.callId);
    if (call === undefined) return Promise.resolve(this.remembered(ask));
    if (!isOf(call, ask)) return Promise.resolve({ kind: 'unknown' });
    const proposed = leftBy(call);
    const client = call.client ?? proposed.client;
    client?.isBack();
    client?.declare(ask.declared);
    if (ask.answers !== undefined) client?.asks.take(ask.answers);
    const { clock, leave } = this.parts;
    const sendAway = (): AskedCall | undefined => this.sendAway(call.callId);
    return new Resumption(call, ask, { clock, leave, sendAway }).wait(
      { ...proposed, ...(client !== undefined && { client }) },
      (waiter) => takeOver(call, waiter),
    );
  }

  private remembered({ caller, callId, approvalId }: ResumeAsk): Resumed {
    const found = this.parts.ended.find(callId);
    const isOwn =
      found?.owner.principal === principalId(caller.principal) &&
      found.ended.runId === caller.run_id &&
      (approvalId === undefined || found.ended.approval?.approval_id === approvalId);
    return isOwn ? { kind: 'ended', ended: found.ended } : { kind: 'unknown' };
  }
}

/** What the caller proposed that left the call, as far as anybody did. */
function leftBy({ waiters, proposed }: RunningCall): ProposedCall & { readonly client?: CallClient } {
  return [...waiters].findLast(({ hold }) => hold === 'parked')?.proposed ?? proposed;
}

/** Whoever comes back is the one that left: to cancel now is to end the call. */
function takeOver(call: RunningCall, waiter: Waiter): void {
  for (const other of call.waiters) if (other.hold === 'parked') other.hold = 'gone';
  call.take(waiter);
}

function isOf({ owner, caller, approval }: RunningCall, { caller: asking, approvalId }: ResumeAsk): boolean {
  return (
    owner.principal === principalId(asking.principal) &&
    agentOf(caller.principal) === agentOf(asking.principal) &&
    caller.run_id === asking.run_id &&
    (approvalId === undefined || approval?.approval_id === approvalId)
  );
}
