import type {
  ActionQuestion,
  AnswerOf,
  AppendedReceipt,
  ApprovalDraft,
  ApprovalStatus,
  AskOf,
  AttemptEnd,
  CallId,
  Caller,
  DeliveryEvent,
  DeliveryStatus,
  Principal,
  ReceiptBody,
  TenantId,
  authorizeActions,
  consumeApproval,
  readReceipt,
  reviewVotes,
} from '@uar/contracts';
import type { ApprovalStep } from './approval-steps.js';

export interface VoteRecord {
  readonly voter: Principal;
  readonly decision: 'approve' | 'reject';
  readonly reason?: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface ApprovalRecord {
  readonly draft: ApprovalDraft;
  readonly status: ApprovalStatus;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly votes: readonly VoteRecord[];
}

export interface Limits {
  readonly maxPending: number;
  readonly maxNewPerMinute: number;
}

/** `refused`: nothing was written; `approval` is the record as it stands. */
export type Refused = { readonly kind: 'refused'; readonly approval?: ApprovalRecord };

/** Where approvals are kept: every method is one transaction and answers once it is durable. */
export interface ApprovalStore {
  createApproval(ask: {
    readonly draft: ApprovalDraft;
    readonly limits: Limits;
    readonly now: number;
  }): Promise<
    | { readonly kind: 'created'; readonly approval: ApprovalRecord }
    | { readonly kind: 'limited'; readonly retryAfterMs: number }
    | { readonly kind: 'ended' }
  >;
  readApproval(ask: { readonly approvalId: string }): Promise<ApprovalRecord | undefined>;
  listApprovals(ask: {
    readonly tenant: TenantId;
    readonly status?: ApprovalStatus;
    readonly after?: { readonly createdAt: number; readonly approvalId: string };
    readonly limit: number;
  }): Promise<readonly ApprovalRecord[]>;
  recordVote(ask: {
    readonly approvalId: string;
    readonly vote: Omit<VoteRecord, 'at'>;
    readonly receipt: ReceiptBody;
    readonly to?: ApprovalStatus;
    readonly now: number;
  }): Promise<{ readonly kind: 'counted'; readonly approval: ApprovalRecord } | Refused>;
  moveApproval(
    ask: ApprovalStep & {
      readonly approvalId: string;
      readonly when: 'live' | 'due' | 'any';
      readonly now: number;
    },
  ): Promise<{ readonly kind: 'moved'; readonly approval: ApprovalRecord } | Refused>;
  consumeApproval(
    ask: AskOf<typeof consumeApproval> & { readonly now: number },
  ): Promise<AnswerOf<typeof consumeApproval>>;
  expireApprovals(ask: { readonly now: number }): Promise<readonly ApprovalRecord[]>;
  nextExpiry(): Promise<number | undefined>;
}

export interface DeliveryRecord {
  readonly deliveryId: string;
  readonly seq: number;
  readonly tenant: TenantId;
  readonly approvalId: string;
  readonly event: DeliveryEvent;
  readonly approvalStatus: ApprovalStatus;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** Epoch milliseconds, like the other times. */
  readonly createdAt: number;
  readonly dueAt: number;
  readonly endedAt?: number;
  readonly problem?: string;
}

export interface DueDelivery {
  readonly delivery: DeliveryRecord;
  readonly approval: ApprovalRecord;
}

/** The webhook's outbox, written by the store with the steps of approvals. */
export interface DeliveryStore {
  dueDeliveries(ask: {
    readonly now: number;
    readonly busy: readonly string[];
    readonly limit: number;
  }): Promise<{ readonly due: readonly DueDelivery[]; readonly nextAt?: number }>;
  endAttempt(ask: {
    readonly now: number;
    readonly deliveryId: string;
    /** How many there were before this one: of one that failed after others nothing is noted. */
    readonly attempts: number;
    readonly end: AttemptEnd;
  }): Promise<void>;
  listDeliveries(ask: {
    readonly tenant: TenantId;
    readonly status?: DeliveryStatus;
    readonly before?: number;
    readonly limit: number;
  }): Promise<readonly DeliveryRecord[]>;
  retryDelivery(ask: {
    readonly tenant: TenantId;
    readonly deliveryId: string;
    readonly receipt: ReceiptBody;
    readonly now: number;
  }): Promise<
    | { readonly kind: 'retried'; readonly delivery: DeliveryRecord }
    | { readonly kind: 'not_found' }
    | { readonly kind: 'not_dead'; readonly status: DeliveryStatus }
  >;
}

export interface PendingView {
  readonly tenant: TenantId;
  readonly call_id: CallId;
  readonly principal: string;
  /** CallView as JSON text. */
  readonly view_json: string;
}

/** What gateways left open, and how it is ended in their place. */
export interface RecoveryStore extends Pick<ApprovalStore, 'readApproval'> {
  openGateways(ask: { readonly now: number }): Promise<readonly string[]>;
  closeOpenCalls(ask: {
    readonly gateway: string;
    readonly limit: number;
    readonly setting: Pick<ReceiptBody, 'governance' | 'profile'>;
    readonly now: number;
  }): Promise<{
    readonly count: number;
    readonly outcomes: readonly ReceiptBody[];
    readonly settled: readonly ApprovalRecord[];
  }>;
  readPendingViews(ask: {
    readonly gateway: string;
    readonly limit: number;
    readonly now: number;
  }): Promise<readonly PendingView[]>;
  endPendingView(ask: PendingView & { readonly gateway: string }): Promise<boolean>;
  appendReceipts(ask: { readonly receipts: readonly ReceiptBody[] }): Promise<readonly AppendedReceipt[]>;
  readReceipt(ask: AskOf<typeof readReceipt>): Promise<AnswerOf<typeof readReceipt>>;
}

/** The PDP. `unreachable`: nobody decided, which is never a yes. */
export interface Authority {
  authorize(
    caller: Caller,
    questions: readonly ActionQuestion[],
  ): Promise<
    | ({ readonly kind: 'decided' } & AnswerOf<typeof authorizeActions>)
    | { readonly kind: 'unreachable'; readonly cause: string }
  >;
}

/** The gateway that holds a waiting call. `unknown`: it may be alive, but did not say. */
export interface CallHolder {
  review(
    gateway: string,
    ask: AskOf<typeof reviewVotes>,
  ): Promise<'released' | 'not_released' | 'gone' | 'unknown'>;
}

/** Told only of what is durable. */
export interface Announcer {
  required(record: ApprovalRecord): void;
  settled(record: ApprovalRecord): void;
}

/** Who answers for an agent, by its tenant and id; undefined when it is not registered. */
export interface AgentOwners {
  read(): Promise<(tenant: TenantId, agentId: string) => string | undefined>;
}

/** Wakes the expiry no later than `at` (epoch milliseconds). */
export interface Alarm {
  setFor(at: number): void;
}

export interface Clock {
  now(): number;
}
