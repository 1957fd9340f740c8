import type {
  ApprovalId,
  ApprovalView,
  CallDecision,
  CallId,
  Caller,
  Item,
  ItemMethod,
  Outcome,
  ReceiptPosition,
  RunId,
  Seat,
} from '@uar/contracts';
import type { CallClient } from '../client/call-client.js';

/** What an edge (HTTP API, MCP endpoint) hands to the pipeline: identity verified, nothing else decided. */
export interface ProposedCall {
  /** `caller.run_id` is ours: the principal's implicit run, or the run its MCP session opened with `Runs`. */
  readonly caller: Caller;
  /** Public name as the caller wrote it; of a request about an item `<server>/<method>`, which is no tool's name. */
  readonly toolName: string;
  /** A tool of a reserved server is meant, which no other road reaches (DESIGN.md 12). */
  readonly isReserved?: boolean;
  /**
   * Argument text (DESIGN.md 8): an object, compact, without duplicate members; absent arguments are `{}`. Of a request about an
   * item its `params`, as the upstream will read them.
   */
  readonly argumentsJson: string;
  /** Bounds the whole call, in milliseconds from now. */
  readonly deadlineMs?: number;
  /** The run as the caller named it; not yet believed. */
  readonly runId?: string;
  /** The id of this call, unless it joins one that waits already. Made by the pipeline when absent. */
  readonly callId?: CallId;
  /** The resource or prompt that it is about instead of a tool. */
  readonly about?: { readonly item: Item; readonly method: ItemMethod };
  /** Whose session with a `per_principal` upstream it runs in. */
  readonly seat?: Seat;
  /** Who is asked what the upstream asks meanwhile, where the seat is that of this call alone. */
  readonly client?: CallClient;
  /** Gets the upstream's `notifications/progress` params without a token. Never called after the end. */
  readonly onProgress?: (paramsJson: string) => void;
  /** Told once, as soon as a human is asked (also when this call joined one that waits). */
  readonly onWaiting?: (approval: ApprovalView) => void;
  /** Told once, when there is nothing to decide any more; the call itself may go on. Not told of a call that ends while it waits. */
  readonly onSettled?: (approvalId: ApprovalId) => void;
}

/** Whose call it is; nobody else may read or cancel it without a right of its own. */
export interface CallOwner {
  readonly tenant: string;
  /** Cedar id. */
  readonly principal: string;
}

/** One waiter's hold on a call. Calls that wait for the same human question share the call, each waiter has its handle. */
export interface CallHandle {
  /** Final once `decided` is resolved: a call that joins another takes over its id. */
  readonly callId: CallId;
  readonly owner: CallOwner;
  /** Resolves when stages 1 to 5 are over: the call is refused, runs, or waits for a human. Never rejects. */
  readonly decided: Promise<void>;
  /** Resolves exactly once, never rejects. */
  readonly ended: Promise<EndedCall>;
  state(): PendingCall | EndedCall;
  /** The caller cancelled. While others wait for the same call, only this waiter leaves. */
  cancel(): void;
  /** The waiter is gone (socket closed, session ended): `channel_closed` unless dispatched, detached or others wait. */
  abandon(): void;
  /** No waiter is needed from now on (respond-async, HTTP after 240 s). */
  detach(): void;
  /**
   * The waiter got its interim answer (MCP without a progress token): the call stays staged, and runs only when the same
   * call is proposed again. `cancel` and `abandon` still work: the session remains the waiter.
   */
  park(): void;
}

/** What the PDP said last. Null before it was asked, and for `unknown_tool`. */
export interface DecisionFacts {
  readonly kind: CallDecision['kind'];
  readonly policyVersion: string;
  readonly governance: 'on' | 'off';
  /** Sorted policy ids; for holders of `explain` and `readReceipts` only. */
  readonly determining: readonly string[];
  readonly cause?: string;
}

interface CallFacts {
  readonly callId: CallId;
  readonly runId: RunId;
  readonly toolName: string;
  readonly decision: DecisionFacts | null;
  readonly approval: ApprovalView | null;
  readonly durationMs: number;
}

export interface PendingCall extends CallFacts {
  readonly kind: 'pending';
}

export interface EndedCall extends CallFacts {
  readonly kind: 'ended';
  readonly outcome: Outcome;
  /** CallToolResult as the upstream sent it; with `completed` and `tool_error` only. */
  readonly resultJson?: string;
  /** The outcome's fixed text. */
  readonly message: string;
  /** What the caller can correct: schema errors without values. */
  readonly details?: unknown;
  readonly upstreamError?: UpstreamError;
  readonly intent: ReceiptPosition | null;
  /** Resolves when the outcome receipt is written, with null where it has no place of its own or could not be. */
  readonly receipt: Promise<ReceiptPosition | null>;
  readonly retryAfterMs?: number;
  /** Names the log line; with `internal_fault` only. */
  readonly faultId?: string;
}

/** What its caller is told of a call that has ended. */
export type CallEnding = Pick<
  EndedCall,
  | 'callId'
  | 'outcome'
  | 'message'
  | 'details'
  | 'resultJson'
  | 'upstreamError'
  | 'intent'
  | 'retryAfterMs'
  | 'faultId'
>;

export interface UpstreamError {
  readonly code: number;
  readonly message: string;
  readonly dataJson?: string;
  /** Names of client capabilities that the upstream wanted and nobody had declared. */
  readonly lacking?: readonly string[];
}

export interface CallPipeline {
  propose(call: ProposedCall): CallHandle;
  /** A call of this gateway that has not ended. The handle acts for all its waiters: its `cancel` ends the call. */
  find(callId: string): CallHandle | undefined;
}

/** Injection token of the CallPipeline. */
export const CALL_PIPELINE = Symbol('uar.gateway.call-pipeline');
