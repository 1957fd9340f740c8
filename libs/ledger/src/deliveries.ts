import type {
  ApprovalStatus,
  AttemptEnd,
  DeliveryEvent,
  DeliveryStatus,
  ReceiptBody,
  TenantId,
} from '@uar/contracts';
import type { ApprovalRecord, Now } from './ledger.js';

/** One message of the webhook's outbox: that a question was asked, or how it ended. */
export interface DeliveryRecord {
  readonly deliveryId: string;
  /** Order of writing, over all tenants. */
  readonly seq: number;
  readonly tenant: TenantId;
  readonly approvalId: string;
  readonly event: DeliveryEvent;
  /** Of the approval at the moment that the message is about. */
  readonly approvalStatus: ApprovalStatus;
  readonly status: DeliveryStatus;
  /** Attempts made, since its last manual retry where there was one. */
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** While pending: not sent before. Epoch milliseconds. */
  readonly dueAt: number;
  /** When it was delivered or given up. */
  readonly endedAt?: number;
  /** Why the last attempt failed. */
  readonly problem?: string;
}

export interface DueDelivery {
  readonly delivery: DeliveryRecord;
  readonly approval: ApprovalRecord;
}

export interface DueDeliveries {
  readonly due: readonly DueDelivery[];
  /** When the next that is not due yet will be; undefined: none waits. */
  readonly nextAt?: number;
}

export type DeliveryRetry =
  | { readonly kind: 'retried'; readonly delivery: DeliveryRecord }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'not_dead'; readonly status: DeliveryStatus };

/**
 * The webhook's outbox. Rows are written with the approval's creation or settlement, in its transaction, by a ledger that
 * was opened with `hasWebhook`; kept 7 days, the last 100,000 ended ones.
 */
export interface Deliveries {
  /**
   * What may be sent now, oldest due first: of each approval only its earliest pending message, and none of the approvals
   * in `busy`.
   */
  dueDeliveries(
    ask: Now & { readonly busy: readonly string[]; readonly limit: number },
  ): Promise<DueDeliveries>;
  /**
   * Changes nothing when the message is not pending any more, or when an attempt failed and others came after it. `attempts`:
   * how many there were before this one.
   */
  endAttempt(
    ask: Now & { readonly deliveryId: string; readonly attempts: number; readonly end: AttemptEnd },
  ): Promise<void>;
  /** Newest first. */
  listDeliveries(ask: {
    readonly tenant: TenantId;
    readonly status?: DeliveryStatus;
    /** Those with a lower seq only. */
    readonly before?: number;
    readonly limit: number;
  }): Promise<readonly DeliveryRecord[]>;
  /** From `dead` to pending and due at once, with its attempts counted anew and a receipt, or nothing. */
  retryDelivery(
    ask: Now & { readonly tenant: TenantId; readonly deliveryId: string; readonly receipt: ReceiptBody },
  ): Promise<DeliveryRetry>;
}
