import type {
  AppendedReceipt,
  ApprovalDraft,
  ApprovalFacts,
  ApprovalStatus,
  ApprovalView,
  AskOf,
  AnswerOf,
  CallDecision,
  CallId,
  CallQuestion,
  Caller,
  CatalogEntry,
  CatalogServer,
  GrantTarget,
  HostAnswer,
  HostCall,
  HostItemRequest,
  HostKind,
  InstanceId,
  ReceiptBody,
  ReceiptPosition,
  TenantId,
  ToolFacts,
  consumeApproval,
  endApproval,
  issueGrant,
  readApprovalStatus,
} from '@uar/contracts';
import type { Ending } from './ending.js';
import type { CallOwner, EndedCall } from './proposed-call.js';

/** A part that is needed did not answer. `cause` is for receipts and logs, never for callers. */
export interface Unavailable {
  readonly kind: 'unavailable';
  readonly cause: string;
}

/** Stage 2: the catalog as this process knows it. */
export interface Catalog {
  find(tenant: TenantId, name: string): CatalogEntry | undefined;
  server(tenant: TenantId, name: string): CatalogServer | undefined;
}

export type Checked =
  | { readonly kind: 'fits' }
  | { readonly kind: 'does_not_fit'; readonly errors: readonly ShapeError[] }
  /** The schema is beyond what we compile or run; its tool cannot be called. */
  | { readonly kind: 'uncheckable'; readonly cause: string };

/** Where arguments do not fit and why; never the value. */
export interface ShapeError {
  /** JSON pointer. */
  readonly path: string;
  readonly message: string;
}

/** Stage 4: the input schema of a tool. */
export interface Schemas {
  /** At once where the schema is small; unavailable where whatever checks large ones is lost. */
  check(entry: CatalogEntry, argumentsJson: string): Checked | Promise<Checked | Unavailable>;
}

export interface DecisionAsk {
  readonly question: CallQuestion;
  readonly target?: GrantTarget;
  readonly approval?: ApprovalFacts;
}

/** Stages 5 to 7. `withinMs` bounds the wait. */
export interface Pdp {
  decide(ask: DecisionAsk, withinMs: number): Promise<CallDecision | Unavailable>;
  /** May the caller discover this tool? For refusals before the PDP is asked about the call. */
  discovers(caller: Caller, tool: ToolFacts): Promise<'visible' | 'hidden' | Unavailable>;
  grant(ask: AskOf<typeof issueGrant>): Promise<AnswerOf<typeof issueGrant> | Unavailable>;
}

export type Created =
  | { readonly kind: 'created'; readonly approval: ApprovalView }
  | { readonly kind: 'limited'; readonly retry_after_ms: number }
  | { readonly kind: 'ended' }
  | Unavailable;

/** Stages 6 and 7b. */
export interface Approvals {
  create(draft: ApprovalDraft): Promise<Created>;
  status(ask: AskOf<typeof readApprovalStatus>): Promise<AnswerOf<typeof readApprovalStatus> | Unavailable>;
  consume(ask: AskOf<typeof consumeApproval>): Promise<AnswerOf<typeof consumeApproval> | Unavailable>;
  /** Resolves when the record has ended, or could not be told; then it expires by itself. */
  end(approvalId: string, as: AskOf<typeof endApproval>['as']): Promise<void>;
  /** The record as the caller may see it now. */
  view(caller: Caller, approvalId: string): Promise<ApprovalView | undefined>;
  /** Told when the record leaves `pending`. The returned function ends it. */
  onSettled(approvalId: string, listener: (status: ApprovalStatus) => void): () => void;
}

export type HostReply =
  | HostAnswer
  /** Nobody listens at this instance: proves that nothing ran. */
  | { readonly kind: 'no_responders' }
  /** Refused before anything was sent. */
  | { readonly kind: 'not_sent'; readonly cause: string };

export interface HostAddress<Host extends HostKind = HostKind> {
  readonly host: Host;
  readonly instance: InstanceId;
}

/** Stage 8. */
export interface Hosts<Host extends HostKind = HostKind> {
  run(at: HostAddress<Host>, call: HostCall, withinMs: number): Promise<HostReply>;
  runItem(at: HostAddress<Host>, request: HostItemRequest, withinMs: number): Promise<HostReply>;
  cancel(at: HostAddress<Host>, callId: CallId): void;
  /** The returned function ends it. */
  onProgress(callId: CallId, listener: (paramsJson: string) => void): () => void;
}

/** The bearer tokens that callers came with, for hosts that act for them at an upstream (RFC 8693). */
export interface CallerTokens {
  /**
   * Good for this call at this instance alone, the one that is good for longest. Undefined: none of `callers` has one that is
   * still good, or the instance takes none.
   */
  forHost(
    call: { readonly callId: CallId; readonly callers: readonly Caller[] },
    server: CatalogServer,
    to: InstanceId,
  ): Promise<string | undefined>;
}

/** Stage 9, and the intent before 8. */
export interface Receipts {
  /** False while too much is unwritten, or the ledger cannot be written: no new call is taken. */
  accepting(): boolean;
  /** `refused`: the call was ended in our place; nothing may be dispatched. */
  intent(body: ReceiptBody): Promise<AppendedReceipt | Unavailable>;
  /** Resolves when written, with null when it never was. */
  outcome(body: ReceiptBody): Promise<ReceiptPosition | null>;
  /** One receipt for all of a principal's calls of a minute that this outcome ended: what is refused in numbers, early. */
  limited(body: ReceiptBody): void;
}

/** Rates and quotas of calls, asked after stage 1, before anything is staged (DESIGN.md 3). */
export interface CallLimits {
  /** Nothing: the call may go on, and is counted. */
  refusal(caller: Caller, toolName: string): Ending | undefined | Promise<Ending | undefined>;
}

export interface Clock {
  now(): number;
  /** Runs once, after `ms`. The returned function ends it. */
  after(ms: number, action: () => void): () => void;
}

/** Sees every end once: metrics and the like. */
export type EndObserver = (ended: EndedCall, owner: CallOwner) => void;

/** Logs a bug of ours once and names the line. */
export type FaultLog = (error: unknown, callId?: CallId) => string;
