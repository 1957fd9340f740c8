import { z } from 'zod';
import { announcement, exchange } from '../exchange.js';
import { ApprovalId, IsoTime, TenantId } from '../ids.js';
import { ReceiptBody } from '../ledger/receipt.js';
import { ApprovalStatus } from './approval.js';

/** `whk_` and 32 hex digits: what receivers of the webhook tell repeated messages by. */
export const DeliveryId = z.string().regex(/^whk_[0-9a-f]{32}$/);

export const DeliveryEvent = z.enum(['approval.required', 'approval.settled']);
export type DeliveryEvent = z.output<typeof DeliveryEvent>;

/** `dead`: given up; an administrator may have it sent again. */
export const DeliveryStatus = z.enum(['pending', 'delivered', 'dead']);
export type DeliveryStatus = z.output<typeof DeliveryStatus>;

/** How an attempt to send went. `again`: it stays pending until `at`, epoch milliseconds. */
export type AttemptEnd =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly at: number; readonly problem: string }
  | { readonly kind: 'dead'; readonly problem: string };

/** One message to the webhook, as administrators of its tenant see it. */
export const DeliveryView = z.strictObject({
  delivery_id: DeliveryId,
  event: DeliveryEvent,
  approval_id: ApprovalId,
  /** Of the approval when the message was written. */
  approval_status: ApprovalStatus,
  status: DeliveryStatus,
  attempts: z.number().int(),
  created_at: IsoTime,
  next_attempt_at: IsoTime.optional(),
  ended_at: IsoTime.optional(),
  /** Why the last attempt failed. */
  problem: z.string().optional(),
});
export type DeliveryView = z.output<typeof DeliveryView>;

/** Newest first. */
export const listDeliveries = exchange({
  subject: 'uar.v1.approval.delivery.list',
  ask: z.strictObject({
    tenant: TenantId,
    status: DeliveryStatus.optional(),
    cursor: z.string().optional(),
    limit: z.number().int().min(1).max(500).default(100),
  }),
  answer: z.strictObject({ deliveries: z.array(DeliveryView), next_cursor: z.string().optional() }),
  deadlineMs: 3_000,
});

/** Only what was given up; written with its receipt, or neither. `off`: no webhook is configured. */
export const retryDelivery = exchange({
  subject: 'uar.v1.approval.delivery.retry',
  ask: z.strictObject({ tenant: TenantId, delivery_id: z.string(), receipt: ReceiptBody }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('retried'), delivery: DeliveryView }),
    z.strictObject({ kind: z.literal('not_found') }),
    z.strictObject({ kind: z.literal('not_dead'), status: DeliveryStatus }),
    z.strictObject({ kind: z.literal('off') }),
  ]),
  deadlineMs: 3_000,
});

/** For those who count. `failed`: it will be tried again. */
export const webhookAttempted = announcement({
  subject: 'uar.v1.event.webhook.attempted',
  body: z.strictObject({ tenant: TenantId, result: z.enum(['delivered', 'failed', 'dead']) }),
});
