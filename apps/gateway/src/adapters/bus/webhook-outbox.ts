import type { Bus } from '@uar/bus';
import { listDeliveries, retryDelivery, webhookAttempted, type AskOf, type Principal } from '@uar/contracts';
import { adminReceipt } from '@uar/settings';
import type { WebhookDeliveries } from '../../domain/delivery.js';
import type { StoreSetting } from './settings-store.js';

/** The approval-service's outbox over the bus. */
export class WebhookOutbox implements WebhookDeliveries {
  private readonly endListening: () => void;

  constructor(
    private readonly bus: Bus,
    private readonly setting: StoreSetting,
    onAttempt: (result: 'delivered' | 'failed' | 'dead') => void,
  ) {
    this.endListening = bus.listen(webhookAttempted, ({ result }) => onAttempt(result));
  }

  async list(ask: AskOf<typeof listDeliveries>): ReturnType<WebhookDeliveries['list']> {
    const reply = await this.bus.ask(listDeliveries, ask);
    return reply.kind === 'answered' ? reply.value : { kind: 'unavailable' };
  }

  async retry(by: Principal, deliveryId: string): ReturnType<WebhookDeliveries['retry']> {
    const { profile, governance, now } = this.setting;
    const receipt = adminReceipt(by, `webhook.retry ${deliveryId}`, { profile, governance, at: now() });
    const reply = await this.bus.ask(retryDelivery, { tenant: by.tenant, delivery_id: deliveryId, receipt });
    return reply.kind === 'answered' ? reply.value : { kind: 'unavailable' };
  }

  close(): void {
    this.endListening();
  }
}
