import type {
  AppendedReceipt,
  ApprovalDraft,
  ApprovalStatus,
  AnswerOf,
  AskOf,
  PlacedGroup,
  Principal,
  ReceiptBody,
  ReceiptVerification,
  StoredRun,
  TenantId,
  appendEvents,
  claimKey,
  consumeApproval,
  keepCall,
  listReceipts,
  putRun,
  readDecisions,
  readEvents,
  readKeptCall,
  readReceipt,
  readRun,
  readSettings,
  recordDecisions,
  takeQuota,
  writeIntent,
  writeSetting,
} from '@uar/contracts';
import type { Accounts } from './accounts.js';
import type { Deliveries } from './deliveries.js';
import type { Recoveries } from './recoveries.js';
import type { Retention } from './retention.js';

/** Epoch milliseconds by the caller's clock: the ledger decides about expiry, but never looks at a clock itself. */
export interface Now {
  readonly now: number;
}

export interface VoteRecord {
  readonly voter: Principal;
  readonly decision: 'approve' | 'reject';
  readonly reason?: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface ApprovalRecord {
  /** Its preview of the arguments is erased, and so empty, once the record is neither pending nor approved. */
  readonly draft: ApprovalDraft;
  readonly status: ApprovalStatus;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** In the order they were cast; one per person and decision. */
  readonly votes: readonly VoteRecord[];
}

/** Place of a record in the listing, newest first. */
export interface ApprovalPlace {
  readonly createdAt: number;
  readonly approvalId: string;
}

/** The record moved (and, for a vote, the vote and its receipt were written), or nothing at all was written. */
export type ApprovalMove =
  | { readonly kind: 'moved'; readonly approval: ApprovalRecord }
  /** `approval`: the record as it stands; absent when there is none. */
  | { readonly kind: 'refused'; readonly approval?: ApprovalRecord };

export interface CreateApproval extends Now {
  readonly draft: ApprovalDraft;
  readonly limits: { readonly maxPending: number; readonly maxNewPerMinute: number };
}

export type ApprovalCreation =
  | { readonly kind: 'created'; readonly approval: ApprovalRecord }
  | { readonly kind: 'limited'; readonly retryAfterMs: number }
  /** The call has an outcome: it was ended in its gateway's place. */
  | { readonly kind: 'ended' };

export interface RecordVote extends Now {
  readonly approvalId: string;
  readonly vote: Omit<VoteRecord, 'at'>;
  /** Written with the vote, or not at all. */
  readonly receipt: ReceiptBody;
  /** Status that the vote itself ends the record with; absent: it stays pending. */
  readonly to?: ApprovalStatus;
}

/** `repeated`: this person had voted like this before, so nothing was written. */
export type VoteRecording =
  | { readonly kind: 'counted'; readonly approval: ApprovalRecord; readonly repeated: boolean }
  | { readonly kind: 'refused'; readonly approval?: ApprovalRecord };

export interface MoveApproval extends Now {
  readonly approvalId: string;
  readonly from: readonly ApprovalStatus[];
  readonly to: ApprovalStatus;
  /** `live`: only while it has not expired; `due`: only once it has; `any`: whatever the time. */
  readonly when: 'live' | 'due' | 'any';
}

export interface AppendEvents extends Now {
  readonly groups: AskOf<typeof appendEvents>['groups'];
  /** Whose batch it is, so that one that comes again is not written again. Absent: it cannot come again. */
  readonly from?: Pick<AskOf<typeof appendEvents>, 'source' | 'batch'>;
}

/** Where each group stands, in order; nothing for a batch that was there already. */
export type EventPlaces = readonly PlacedGroup[];

/**
 * The one durable record of the tool plane. Every write answers after its commit reached the disk, and rejects with a
 * `LedgerError` of kind `unavailable` when nothing was written (disk full, read-only, locked, damaged); it may be tried again.
 */
export interface Ledger extends Accounts, Deliveries, Recoveries, Retention {
  readSettings(ask: AskOf<typeof readSettings>): Promise<AnswerOf<typeof readSettings>>;
  /**
   * Compare and set, with a receipt of it in the same transaction where one is given. A removed key keeps counting its
   * revisions, so that an old revision never matches a new value.
   */
  writeSetting(ask: AskOf<typeof writeSetting>): Promise<AnswerOf<typeof writeSetting>>;

  /** `kept: false`: larger than 1 MiB. */
  keepCall(ask: AskOf<typeof keepCall>): Promise<AnswerOf<typeof keepCall>>;
  readKeptCall(ask: AskOf<typeof readKeptCall> & Now): Promise<AnswerOf<typeof readKeptCall>>;
  claimKey(ask: AskOf<typeof claimKey> & Now): Promise<AnswerOf<typeof claimKey>>;
  /** All takes of one ask in one transaction: all are durable, or nothing was taken. */
  takeQuota(ask: AskOf<typeof takeQuota> & Now): Promise<AnswerOf<typeof takeQuota>>;
  /** Compare and set, with a receipt of it in the same transaction where one is given. */
  putRun(ask: AskOf<typeof putRun>): Promise<AnswerOf<typeof putRun>>;
  readRun(ask: AskOf<typeof readRun>): Promise<AnswerOf<typeof readRun>>;
  /** When the next active run ends by the clock, in epoch milliseconds; of those that `endDueRuns` has not answered. */
  nextRunEnd(): Promise<number | undefined>;
  /** Active runs whose time is over, each answered once, at most 100. */
  endDueRuns(ask: Now): Promise<readonly StoredRun[]>;
  /**
   * Keeps the last 1,000 events of a run and 100,000 of a tenant, groups at a time, for 24 h. Places only grow, also over
   * what is forgotten. All groups of one ask or none.
   */
  appendEvents(ask: AppendEvents): Promise<EventPlaces>;
  readEvents(ask: AskOf<typeof readEvents>): Promise<AnswerOf<typeof readEvents>>;
  /** Forgets expired kept calls, keys, runs, quota windows, authorizations, recorded decisions, events and messages to the webhook, at most 500 of each; answers how many. Less than 500: nothing is left. */
  purgeExpired(ask: Now): Promise<number>;

  /** Keeps the last 100,000 decisions of all tenants, for 7 days, and facts as long as a decision rests on them. */
  recordDecisions(ask: AskOf<typeof recordDecisions> & Now): Promise<AnswerOf<typeof recordDecisions>>;
  readDecisions(ask: AskOf<typeof readDecisions>): Promise<AnswerOf<typeof readDecisions>>;

  createApproval(ask: CreateApproval): Promise<ApprovalCreation>;
  readApproval(ask: { readonly approvalId: string }): Promise<ApprovalRecord | undefined>;
  /** Newest first. */
  listApprovals(ask: {
    readonly tenant: TenantId;
    readonly status?: ApprovalStatus;
    readonly after?: ApprovalPlace;
    readonly limit: number;
  }): Promise<readonly ApprovalRecord[]>;
  /** Only on a pending record that has not expired. */
  recordVote(ask: RecordVote): Promise<VoteRecording>;
  moveApproval(ask: MoveApproval): Promise<ApprovalMove>;
  /** `approved -> consumed` and the intent in one transaction: once, for these digests, before expiry. */
  consumeApproval(ask: AskOf<typeof consumeApproval> & Now): Promise<AnswerOf<typeof consumeApproval>>;
  /** Ends what is pending or approved and due as `expired`; answers the records it ended. */
  expireApprovals(ask: Now): Promise<readonly ApprovalRecord[]>;
  /** When the next pending or approved record expires, in epoch milliseconds. */
  nextExpiry(): Promise<number | undefined>;

  /** The intent, and that its call is open at that gateway until an outcome is written; refused where one was. */
  writeIntent(ask: AskOf<typeof writeIntent>): Promise<AppendedReceipt>;
  /**
   * In order, each at the end of its tenant's chain; all of them or none. A second outcome of a call is not written: it gets
   * the place of the first, `refused` where that one says something else.
   */
  appendReceipts(ask: { readonly receipts: readonly ReceiptBody[] }): Promise<readonly AppendedReceipt[]>;
  /** `tool`: raw name, `server/raw` or `server__raw`. */
  listReceipts(ask: AskOf<typeof listReceipts>): Promise<AnswerOf<typeof listReceipts>>;
  readReceipt(ask: AskOf<typeof readReceipt>): Promise<AnswerOf<typeof readReceipt>>;
  /** Walks the whole chain in a thread of its own. */
  verifyReceipts(ask: { readonly tenant: TenantId }): Promise<ReceiptVerification>;

  /** A write that changes nothing; rejects when the ledger cannot be written. */
  probe(): Promise<void>;
  /** Finishes what was asked, then gives file and lock back. */
  close(): Promise<void>;
}
