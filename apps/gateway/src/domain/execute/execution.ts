import {
  Outcome,
  outcomes,
  principalId,
  type CallId,
  type Digest,
  type InstanceId,
  type ReceiptPosition,
} from '@uar/contracts';
import { memberText } from '@uar/json-text';
import type { Clock } from '../call/ports.js';
import type {
  CallHandle,
  CallPipeline,
  EndedCall,
  PendingCall,
  ProposedCall,
} from '../call/proposed-call.js';
import { callViewText } from '../view/call-view.js';
import { endedView } from './ended-view.js';
import type { KeptCalls } from './kept-calls.js';

export interface ExecuteAsk {
  readonly call: ProposedCall;
  readonly respondAsync: boolean;
  readonly idempotencyKey?: string;
  /** Tells once that the client is gone. */
  onGone(listener: () => void): void;
}

/** A call that goes on without whoever proposed it. */
export interface Left {
  readonly state: PendingCall | EndedCall;
  /** It had not ended, and every gateway finds it by its id. */
  readonly isKept: boolean;
}

export type Executed =
  | {
      readonly kind: 'call';
      readonly state: PendingCall | EndedCall;
      readonly receipt: ReceiptPosition | null;
      readonly isAsync: boolean;
    }
  | { readonly kind: 'stored'; readonly callId: CallId; readonly viewJson: string; readonly status: number }
  | { readonly kind: 'key_of_other_request' }
  /** The first call of this key has not ended where we can see it. */
  | { readonly kind: 'key_in_use'; readonly callId: CallId }
  | { readonly kind: 'unavailable' };

const hourMs = 3_600_000;
/** Milliseconds that a call which outlives its request is kept, from its acceptance and again from its end. */
export const asyncKeptMs = hourMs;
const keyKeptMs = 24 * hourMs;
const longestWaitMs = 240_000;
/** Usually a few milliseconds; a slow disk must not hide the receipt (ADR 18). */
const receiptWaitMs = 250;
/** Nothing ran, and a moment later it may: the same key may try again. What ran or may have run is never tried again. */
const passing: readonly Outcome[] = ['rate_limited', 'overloaded', 'unavailable'];

/** Claims without an answer that are remembered. */
const mostDoubtful = 10_000;

type KeyedAsk = ExecuteAsk & { readonly idempotencyKey: string };

/** `POST /api/tools/{name}/execute`: waits, or not, and keeps what must outlive the request (API.md 2). */
export class Execution {
  /** Calls of keys in flight, by the id that was claimed: a call that joined another runs under the other's. */
  private readonly joined = new Map<CallId, CallHandle>();
  /** Calls that were never begun, as the answer to their claim was lost: it may stand nevertheless. */
  private readonly doubtful = new Set<CallId>();

  constructor(
    private readonly parts: {
      readonly pipeline: CallPipeline;
      readonly kept: KeptCalls;
      readonly clock: Clock;
      readonly gateway: InstanceId;
      flushReceipts(): void;
      newCallId(): CallId;
      digest(text: string): Digest;
    },
  ) {}

  execute(ask: ExecuteAsk): Promise<Executed> {
    const { idempotencyKey } = ask;
    if (idempotencyKey !== undefined) return this.executeOnce({ ...ask, idempotencyKey });
    const handle = this.parts.pipeline.propose(ask.call);
    return this.run(ask, handle, () => this.keepWhenEnded(handle, handle.callId, asyncKeptMs));
  }

  /** `insteadOf`: the call that had the key, was refused for a passing reason, and ran nothing. */
  private async executeOnce(ask: KeyedAsk, insteadOf?: CallId): Promise<Executed> {
    const callId = this.parts.newCallId();
    const { caller, toolName, argumentsJson } = ask.call;
    const owner = { tenant: caller.principal.tenant, principal: principalId(caller.principal) };
    const claim = await this.parts.kept.claim({
      owner,
      key: ask.idempotencyKey,
      requestDigest: this.parts.digest(`${toolName}\n${argumentsJson}`),
      callId,
      insteadOf,
      pendingJson: callViewText(proposedState(callId, ask.call)),
      forMs: keyKeptMs,
    });
    switch (claim.kind) {
      case 'unavailable':
        this.noteDoubtful(callId);
        return { kind: 'unavailable' };
      case 'other_request':
        return { kind: 'key_of_other_request' };
      case 'same':
        return this.repeat(ask, claim.call_id);
      case 'claimed': {
        const handle = this.parts.pipeline.propose({ ...ask.call, callId });
        this.keepWhenEnded(handle, callId, keyKeptMs);
        this.noteJoined(handle, callId);
        return this.run(ask, handle, () => undefined);
      }
    }
  }

  /** From now on the call needs nobody who waits: it is kept, and read by its id. */
  async leave(handle: CallHandle): Promise<Left> {
    return this.letGo(handle, () => this.keepWhenEnded(handle, handle.callId, asyncKeptMs));
  }

  private async run(ask: ExecuteAsk, handle: CallHandle, keep: () => void): Promise<Executed> {
    ask.onGone(() => handle.abandon());
    if (ask.respondAsync) {
      await handle.decided;
      if (handle.state().kind === 'pending') return leftCall(await this.letGo(handle, keep));
    }
    const ended = await this.endWithin(handle);
    if (ended === undefined) return leftCall(await this.letGo(handle, keep));
    return { kind: 'call', state: ended, receipt: await this.receiptOf(ended), isAsync: false };
  }

  private async letGo(handle: CallHandle, keep: () => void): Promise<Left> {
    handle.detach();
    const state = handle.state();
    const kept =
      state.kind === 'pending'
        ? this.parts.kept.keep({
            owner: handle.owner,
            callId: handle.callId,
            viewJson: callViewText(state),
            isPending: true,
            forMs: asyncKeptMs,
          })
        : undefined;
    keep();
    return { state, isKept: (await kept) === true };
  }

  private async repeat(ask: KeyedAsk, callId: CallId): Promise<Executed> {
    if (this.doubtful.has(callId)) return this.executeOnce(ask, callId);
    const running = this.parts.pipeline.find(callId) ?? this.joined.get(callId);
    if (running !== undefined) {
      const ended = ask.respondAsync ? undefined : await this.endWithin(running);
      return { kind: 'call', state: ended ?? running.state(), receipt: null, isAsync: ended === undefined };
    }
    const kept = await this.parts.kept.read(ask.call.caller.principal.tenant, callId);
    if (kept.kind === 'unavailable') return kept;
    if (kept.kind === 'not_found') return { kind: 'key_in_use', callId };
    const outcome = outcomeOfView(kept.viewJson);
    if (outcome !== undefined && passing.includes(outcome)) return this.executeOnce(ask, callId);
    const status = outcome === undefined ? 202 : outcomes[outcome].http;
    return { kind: 'stored', callId, viewJson: kept.viewJson, status };
  }

  private noteDoubtful(callId: CallId): void {
    this.doubtful.add(callId);
    const [oldest] = this.doubtful;
    if (this.doubtful.size > mostDoubtful && oldest !== undefined) this.doubtful.delete(oldest);
  }

  private noteJoined(handle: CallHandle, callId: CallId): void {
    this.joined.set(callId, handle);
    // What is kept of the key until the end is to name the call that will have one.
    void handle.decided.then(() => {
      const state = handle.state();
      if (state.kind === 'ended' || state.callId === callId) return;
      const view = { owner: handle.owner, callId, viewJson: callViewText(state), forMs: keyKeptMs };
      void this.parts.kept.keep({ ...view, isPending: true });
    });
    void handle.ended.then(() => this.joined.delete(callId));
  }

  private keepWhenEnded(handle: CallHandle, callId: CallId, forMs: number): void {
    const keep = (ended: EndedCall, receipt: ReceiptPosition | null): Promise<boolean> => {
      const view = endedView(ended, receipt, this.parts.gateway);
      return this.parts.kept.keep({ ...view, owner: handle.owner, callId, isPending: false, forMs });
    };
    // At once, so that nobody reads the pending view any more; and again with the receipt's place.
    void handle.ended.then((ended) => {
      this.parts.flushReceipts();
      void keep(ended, null);
      void ended.receipt.then((receipt) => receipt !== null && void keep(ended, receipt));
    });
  }

  private endWithin(handle: CallHandle): Promise<EndedCall | undefined> {
    return new Promise((resolve) => {
      const stop = this.parts.clock.after(longestWaitMs, () => resolve(undefined));
      void handle.ended.then((ended) => {
        stop();
        resolve(ended);
      });
    });
  }

  private receiptOf(ended: EndedCall): Promise<ReceiptPosition | null> {
    this.parts.flushReceipts();
    return new Promise((resolve) => {
      const stop = this.parts.clock.after(receiptWaitMs, () => resolve(null));
      void ended.receipt.then((position) => {
        stop();
        resolve(position);
      });
    });
  }
}

function leftCall({ state }: Left): Executed {
  return { kind: 'call', state, receipt: null, isAsync: true };
}

/** A call that nothing is known of yet. */
function proposedState(callId: CallId, { caller, toolName }: ProposedCall): PendingCall {
  const nothing = { decision: null, approval: null, durationMs: 0 };
  return { kind: 'pending', callId, runId: caller.run_id, toolName, ...nothing };
}

/** Of a kept CallView; undefined while it is pending. */
function outcomeOfView(viewJson: string): Outcome | undefined {
  const text = memberText(viewJson, 'outcome');
  return text === undefined ? undefined : Outcome.safeParse(JSON.parse(text)).data;
}

/** Injection token of the Execution. */
export const EXECUTION = Symbol('uar.gateway.execution');
