import type { AnswerOf, AskOf, Principal, listDeliveries, retryDelivery } from '@uar/contracts';

/** Messages to the webhook, in the outbox of the approval-service. */
export interface WebhookDeliveries {
  list(ask: AskOf<typeof listDeliveries>): Promise<AnswerOf<typeof listDeliveries> | Unanswered>;
  /** Durable with a receipt of who did it, or not done. */
  retry(by: Principal, deliveryId: string): Promise<AnswerOf<typeof retryDelivery> | Unanswered>;
}

interface Unanswered {
  readonly kind: 'unavailable';
}

/** Injection token of the WebhookDeliveries. */
export const WEBHOOK_DELIVERIES = Symbol('uar.gateway.webhook-deliveries');
