import type { AnswerOf, AskOf, DeliveryView, listDeliveries, retryDelivery } from '@uar/contracts';
import type { Clock, DeliveryRecord, DeliveryStore } from '../ports.js';

export interface DeliveriesParts {
  readonly store: Pick<DeliveryStore, 'listDeliveries' | 'retryDelivery'>;
  readonly clock: Clock;
  readonly hasWebhook: boolean;
  /** There is something to send. */
  wake(): void;
}

/** The webhook's messages as administrators see them. */
export class Deliveries {
  constructor(private readonly parts: DeliveriesParts) {}

  /** An unreadable cursor is past every message. */
  async list({
    tenant,
    status,
    cursor,
    limit,
  }: AskOf<typeof listDeliveries>): Promise<AnswerOf<typeof listDeliveries>> {
    const before = cursor === undefined ? undefined : placeOf(cursor);
    if (cursor !== undefined && before === undefined) return { deliveries: [] };
    const found = await this.parts.store.listDeliveries({
      tenant,
      limit: limit + 1,
      ...(status === undefined ? {} : { status }),
      ...(before === undefined ? {} : { before }),
    });
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const deliveries = page.map(deliveryView);
    return last === undefined ? { deliveries } : { deliveries, next_cursor: String(last.seq) };
  }

  async retry({
    tenant,
    delivery_id,
    receipt,
  }: AskOf<typeof retryDelivery>): Promise<AnswerOf<typeof retryDelivery>> {
    const { store, clock, hasWebhook, wake } = this.parts;
    if (!hasWebhook) return { kind: 'off' };
    const ask = { tenant, deliveryId: delivery_id, receipt, now: clock.now() };
    const retried = await store.retryDelivery(ask);
    if (retried.kind !== 'retried') return retried;
    wake();
    return { kind: 'retried', delivery: deliveryView(retried.delivery) };
  }
}

function placeOf(cursor: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(cursor) ? Number(cursor) : undefined;
}

function deliveryView(record: DeliveryRecord): DeliveryView {
  const { endedAt, problem } = record;
  return {
    delivery_id: record.deliveryId,
    event: record.event,
    approval_id: record.approvalId,
    approval_status: record.approvalStatus,
    status: record.status,
    attempts: record.attempts,
    created_at: new Date(record.createdAt).toISOString(),
    ...(record.status === 'pending' ? { next_attempt_at: new Date(record.dueAt).toISOString() } : {}),
    ...(endedAt === undefined ? {} : { ended_at: new Date(endedAt).toISOString() }),
    ...(problem === undefined ? {} : { problem }),
  };
}
