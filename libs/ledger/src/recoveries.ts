import type { CallId, ReceiptBody, TenantId } from '@uar/contracts';
import type { ApprovalRecord, Now } from './ledger.js';

export interface CloseOpenCalls extends Now {
  readonly gateway: string;
  readonly limit: number;
  /** What receipts of calls without an intent say of this deployment. */
  readonly setting: Pick<ReceiptBody, 'governance' | 'profile'>;
}

export interface ClosedCalls {
  readonly count: number;
  /** The outcome receipts that were written. */
  readonly outcomes: readonly ReceiptBody[];
  readonly settled: readonly ApprovalRecord[];
}

export interface PendingViewsOf extends Now {
  readonly gateway: string;
  readonly limit: number;
}

export interface PendingView {
  readonly tenant: TenantId;
  readonly call_id: CallId;
  readonly principal: string;
  /** CallView as JSON text. As it is read, empty where it cannot be opened: the data key is not the one that sealed it. */
  readonly view_json: string;
}

/** What gateways that are gone left open, and its end in their place (ADR 35). */
export interface Recoveries {
  /** The gateways at which calls are open (asked about, or intended, and without an outcome) or kept views pending. */
  openGateways(ask: Now): Promise<readonly string[]>;
  /**
   * Closes at most `limit` open calls of a gateway that is gone, each with one outcome: `transport_failure` (may have run)
   * after an intent, else what its approval says, which is `channel_closed` where it was pending or approved. Answers how many,
   * and the approvals that it settled.
   */
  closeOpenCalls(ask: CloseOpenCalls): Promise<ClosedCalls>;
  /** Kept views that are pending at this gateway, also those that nobody can open any more: they have to end too. */
  readPendingViews(ask: PendingViewsOf): Promise<readonly PendingView[]>;
  /** Replaces a view that is pending at this gateway, for good: its gateway cannot overwrite it. False: it is not. */
  endPendingView(ask: PendingView & { readonly gateway: string }): Promise<boolean>;
}
