import { AuthorizationError, connect, type NatsConnection } from '@nats-io/transport-node';
import { createLog } from '@uar/telemetry';
import type { Bus } from '../bus.js';
import { NatsWire } from './nats-wire.js';
import { newInstanceId } from '../core/random-id.js';
import { inboxRoot } from '../core/rights.js';
import { ServiceBus, type ConnectOptions } from '../core/service-bus.js';

export interface NatsOptions extends ConnectOptions {
  /** `nats://host:port`, or several separated by commas. */
  readonly url: string;
  readonly user?: string;
  readonly password?: string;
  /** How long to wait for a server that is not there yet. Default 0: one attempt. */
  readonly patienceMs?: number;
}

const retryMs = 250;

/** Between 100 and 500 ms, so that the services of a restarted server do not all come back at once. */
const reconnectDelayMs = (): number => 100 + Math.random() * 400;

/** Connects, or rejects; once connected it reconnects for ever. */
export async function connectNats(options: NatsOptions): Promise<Bus> {
  const instance = options.instance ?? newInstanceId();
  const log = options.log ?? createLog({ service: options.service, level: 'warn' });
  const connection = await connectPatiently({ ...options, instance });
  return new ServiceBus(new NatsWire(connection, log), { ...options, instance, log });
}

async function connectPatiently(options: NatsOptions): Promise<NatsConnection> {
  const giveUpAt = Date.now() + (options.patienceMs ?? 0);
  for (;;) {
    try {
      return await connectOnce(options);
    } catch (error) {
      if (error instanceof AuthorizationError || Date.now() + retryMs > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}

function connectOnce({ url, service, instance, user, password }: NatsOptions): Promise<NatsConnection> {
  return connect({
    servers: url.split(',').map((server) => server.trim()),
    name: `${service}.${instance}`,
    inboxPrefix: inboxRoot(service),
    ...(user === undefined ? {} : { user, pass: password ?? '' }),
    maxReconnectAttempts: -1,
    reconnectDelayHandler: reconnectDelayMs,
    // Credentials may be rotated at the server before they are here: that must not end the service.
    ignoreAuthErrorAbort: true,
    noAsyncTraces: true,
    pingInterval: 10_000,
    maxPingOut: 2,
    timeout: 5_000,
  });
}
