import {
  MsgHdrsImpl,
  PermissionViolationError,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Status,
} from '@nats-io/transport-node';
import type { Log } from '@uar/telemetry';
import type {
  Arrival,
  Incoming,
  Outgoing,
  Subscriber,
  Wire,
  WireEvents,
  WireHeaders,
  WireState,
  WireSubscription,
} from '../core/wire.js';

const noRespondersCode = 503;

function toNats(headers: WireHeaders | undefined): MsgHdrs | undefined {
  if (headers === undefined) return undefined;
  const record: Record<string, string[]> = {};
  if (headers.deadline !== undefined) record['uar-deadline'] = [headers.deadline];
  if (headers.trace !== undefined) record['uar-trace'] = [headers.trace];
  if (headers.fault !== undefined) record['uar-fault'] = [headers.fault];
  if (headers.faultId !== undefined) record['uar-fault-id'] = [headers.faultId];
  if (headers.faultAt !== undefined) record['uar-fault-at'] = [headers.faultAt];
  if (headers.part !== undefined) record['uar-part'] = [headers.part];
  // Not `set`, which looks every name up and checks every letter: these are ours.
  return MsgHdrsImpl.fromRecord(record);
}

function fromNats(headers: MsgHdrs | undefined): WireHeaders | undefined {
  if (headers === undefined) return undefined;
  const found: { -readonly [K in keyof WireHeaders]: WireHeaders[K] } = {};
  for (const [name, values] of headers) {
    switch (name.toLowerCase()) {
      case 'uar-deadline':
        found.deadline = values[0];
        break;
      case 'uar-trace':
        found.trace = values[0];
        break;
      case 'uar-fault':
        found.fault = values[0];
        break;
      case 'uar-fault-id':
        found.faultId = values[0];
        break;
      case 'uar-fault-at':
        found.faultAt = values[0];
        break;
      case 'uar-part':
        found.part = values[0];
        break;
    }
  }
  return found;
}

const incoming = (message: Msg): Incoming => ({
  body: message.data,
  headers: fromNats(message.headers),
  reply: message.reply === '' ? undefined : message.reply,
});

function arrival(message: Msg): Arrival {
  if (message.data.length === 0 && message.headers?.code === noRespondersCode) return 'no_responders';
  return incoming(message);
}

/** A connection to a NATS server. */
export class NatsWire implements Wire {
  #state: WireState = 'connected';
  #events: WireEvents | undefined;
  #maxPayloadBytes = 1024 * 1024;

  constructor(
    private readonly connection: NatsConnection,
    private readonly log: Log,
  ) {
    void this.#follow();
  }

  /** As the server said last: while disconnected there is none to say it. */
  maxPayloadBytes(): number {
    this.#maxPayloadBytes = this.connection.info?.max_payload ?? this.#maxPayloadBytes;
    return this.#maxPayloadBytes;
  }

  state(): WireState {
    return this.#state;
  }

  watch(events: WireEvents): void {
    this.#events = events;
  }

  publish({ subject, body, headers, reply }: Outgoing): boolean {
    if (this.#state !== 'connected') return false;
    const options: { headers?: MsgHdrs; reply?: string } = {};
    const natsHeaders = toNats(headers);
    if (natsHeaders !== undefined) options.headers = natsHeaders;
    if (reply !== undefined) options.reply = reply;
    try {
      this.connection.publish(subject, body, options);
      return true;
    } catch (err) {
      this.log.error({ subject, err }, 'the connection did not take a message');
      return false;
    }
  }

  subscribe({ subject, queue, onMessage }: Subscriber): WireSubscription {
    const subscription = this.connection.subscribe(subject, {
      ...(queue === undefined ? {} : { queue }),
      callback: (refused, message) => {
        if (refused === null) this.#guarded(subject, () => onMessage(incoming(message)));
      },
    });
    return {
      end: () => subscription.unsubscribe(),
      drain: async () => {
        if (this.#state === 'connected') await subscription.drain();
        else subscription.unsubscribe();
      },
    };
  }

  openInbox(prefix: string, onArrival: (token: string, arrival: Arrival) => void): void {
    this.connection.subscribe(`${prefix}.*`, {
      callback: (refused, message) => {
        if (refused !== null) return;
        const token = message.subject.slice(prefix.length + 1);
        this.#guarded(prefix, () => onArrival(token, arrival(message)));
      },
    });
  }

  /** While disconnected there is nothing to wait for: subscriptions are sent again at the next connect. */
  async flush(): Promise<void> {
    if (this.#state === 'connected') await this.connection.flush().catch(() => undefined);
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#lose('closed');
    await this.connection.close();
  }

  /** What is thrown inside a callback would end the reading of the connection. */
  #guarded(subject: string, body: () => void): void {
    try {
      body();
    } catch (err) {
      this.log.error({ subject, err }, 'a message could not be handled');
    }
  }

  async #follow(): Promise<void> {
    for await (const status of this.connection.status()) this.#changed(status);
    this.#lose('closed');
  }

  #changed(status: Status): void {
    switch (status.type) {
      case 'disconnect':
        this.log.warn({ server: status.server }, 'the bus is disconnected');
        return this.#lose('disconnected');
      case 'reconnect':
        this.log.warn({ server: status.server }, 'the bus is connected again');
        if (this.#state === 'disconnected') this.#state = 'connected';
        return;
      case 'close':
        return this.#lose('closed');
      case 'error':
        return this.#refused(status.error);
      case 'reconnecting':
      case 'forceReconnect':
      case 'staleConnection':
      case 'slowConsumer':
      case 'update':
      case 'ldm':
      case 'ping':
        return;
    }
  }

  #lose(state: WireState): void {
    if (this.#state === 'closed') return;
    this.#state = state;
    this.#events?.onLost();
  }

  #refused(error: Error): void {
    if (error instanceof PermissionViolationError) {
      this.#events?.onRefused({ operation: error.operation, subject: error.subject });
    } else {
      this.log.error({ err: error }, 'the bus reports an error');
    }
  }
}
