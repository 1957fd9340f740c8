import { webhookAttempted } from '@uar/contracts';
import type { ServiceContext } from '@uar/service';
import type { Clock } from '../../domain/ports.js';
import { Courier, type CourierParts, type CourierWatch } from '../../domain/webhook/courier.js';
import { HttpReceiver } from './http-receiver.js';

export interface RunningCourier {
  /** Sends what was left by an earlier process. */
  start(): void;
  /** There may be something to send. */
  wake(): void;
  stop(): Promise<void>;
}

const deadlineMs = 10_000;

const none: RunningCourier = { start: () => undefined, wake: () => undefined, stop: () => Promise.resolve() };

/** One that does nothing where no webhook is configured. Throws where its key is not in this process's environment. */
export function openCourier(
  context: ServiceContext,
  store: CourierParts['store'],
  clock: Clock,
): RunningCourier {
  const { webhook } = context.config.approvals;
  if (webhook === undefined) return none;
  const { url, format, secret, secret_env } = webhook;
  if (secret === undefined) throw new Error(`approvals.webhook: ${secret_env} is not set`);
  return new Courier({
    store,
    receiver: new HttpReceiver({ url, format, secret, now: clock.now, deadlineMs }),
    clock,
    watch: watchOf(context),
    after: (ms, listener) => {
      const timer = setTimeout(listener, ms);
      return () => clearTimeout(timer);
    },
    chance: Math.random,
  });
}

function watchOf({ bus, log }: ServiceContext): CourierWatch {
  return {
    attempted: (tenant, result) => bus.announce(webhookAttempted, { tenant, result }),
    gaveUp: ({ deliveryId, approvalId, problem }) =>
      log.warn(
        { delivery_id: deliveryId, approval_id: approvalId, problem },
        'a webhook message was given up; POST /api/uar/webhooks/deliveries/{id}/retry sends it again',
      ),
    troubled: (error) => log.warn({ err: error }, 'the outbox of the webhook cannot be used now'),
  };
}
