import type { ReceiptBody, ReceiptPosition, TenantId } from '@uar/contracts';

/** Where a stretch of a chain ends that retention may remove. */
export type AgedWalk =
  /** `more`: the walk may go on from `end`. */
  | { readonly kind: 'aged'; readonly end: ReceiptPosition; readonly more: boolean }
  /** The next receipt is too young, or the intent of a call that has no outcome yet. */
  | { readonly kind: 'none' }
  /** Nothing is signed over a chain that does not hold. */
  | { readonly kind: 'broken'; readonly at: number; readonly problem: string };

/** Removal of old receipts behind a signed checkpoint. */
export interface Retention {
  /** Chains whose oldest receipt is from before a moment (epoch ms), or of which removed receipts are still in the file. */
  agedChains(ask: { readonly before: number }): Promise<readonly TenantId[]>;
  /** Walks, link by link, at most `limit` receipts from before a moment; on from `after`, or from where the chain begins now. */
  walkAged(ask: {
    readonly tenant: TenantId;
    readonly before: number;
    readonly after?: ReceiptPosition;
    readonly limit: number;
  }): Promise<AgedWalk>;
  /**
   * From now on a signed checkpoint stands for the receipts up to `through`, a place that `walkAged` came to; with a receipt
   * of it in the same transaction. False when that place is not there. The removed receipts are in the file until swept.
   */
  truncateReceipts(ask: {
    readonly through: ReceiptPosition;
    readonly receipt: ReceiptBody;
  }): Promise<{ readonly truncated: boolean }>;
  /** Takes at most `limit` removed receipts of a tenant out of the file; answers how many. */
  sweepReceipts(ask: { readonly tenant: TenantId; readonly limit: number }): Promise<number>;
}
