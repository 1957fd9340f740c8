import { InstanceId, type AskOf, type Exchange, type ServiceName } from '@uar/contracts';
import type { Log } from '@uar/telemetry';
import type { AskOptions, BusFault, Reply } from '../bus.js';
import { encodeJson, traceOf } from './codec.js';
import { faultOf, refusedOf } from './fault.js';
import { PendingAsk } from './pending-ask.js';
import { randomToken } from './random-id.js';
import { inboxRoot } from './rights.js';
import { headerRoomBytes, type Arrival, type Refusal, type Wire } from './wire.js';

interface Waiting {
  readonly subject: string;
  take(arrival: Arrival): void;
  fail(fault: BusFault): void;
}

interface AskerOptions {
  readonly wire: Wire;
  readonly service: ServiceName;
  readonly log: Log;
  readonly maxAnswerBytes: number;
}

/** The asking half of a bus: one inbox for the connection, one unguessable token per ask. */
export class Asker {
  readonly #options: AskerOptions;
  readonly #inbox: string;
  readonly #waiting = new Map<string, Waiting>();

  constructor(options: AskerOptions) {
    this.#options = options;
    this.#inbox = `${inboxRoot(options.service)}.${randomToken()}`;
    options.wire.openInbox(this.#inbox, (token, arrival) => this.#arrived(token, arrival));
  }

  ask<E extends Exchange>(exchange: E, ask: AskOf<E>, options: AskOptions): Promise<Reply<E>> {
    const waitMs = Math.min(exchange.deadlineMs, options.deadlineMs ?? exchange.deadlineMs);
    const body = this.#bodyOf(exchange, ask, { ...options, waitMs });
    if (!Buffer.isBuffer(body)) return Promise.resolve(body);
    const subject = options.to === undefined ? exchange.subject : `${exchange.subject}.${options.to}`;
    return new Promise((resolve) => {
      const token = randomToken();
      const settle = (reply: Reply<E>) => {
        this.#waiting.delete(token);
        resolve(reply);
      };
      const { signal } = options;
      const { maxAnswerBytes } = this.#options;
      const pending = new PendingAsk(subject, { exchange, waitMs, signal, maxAnswerBytes, settle });
      this.#waiting.set(token, pending);
      const headers = { deadline: String(Date.now() + Math.ceil(waitMs)), trace: traceOf(options.trace) };
      const sent = this.#options.wire.publish({ subject, body, headers, reply: `${this.#inbox}.${token}` });
      if (!sent) pending.fail(refusedOf('disconnected'));
    });
  }

  /** The connection is gone: whoever waits may wait for ever, and its handler may have run. */
  failAll(): void {
    for (const waiting of [...this.#waiting.values()]) {
      waiting.fail(faultOf('disconnected', 'the connection broke while waiting for the answer'));
    }
  }

  failRefused({ operation, subject }: Refusal): void {
    if (operation !== 'publish') return;
    for (const waiting of [...this.#waiting.values()]) {
      if (waiting.subject === subject) waiting.fail(refusedOf('bad_ask', 'the bus does not let us ask this'));
    }
  }

  /** The bytes to send, or why nothing may be sent. Whether they fit the contract, the answering end says before it runs anything. */
  #bodyOf<E extends Exchange>(
    exchange: E,
    ask: AskOf<E>,
    options: AskOptions & { readonly waitMs: number },
  ): Buffer | BusFault {
    if ((exchange.reach === 'instance') !== (options.to !== undefined)) {
      return refusedOf('bad_ask', 'exactly exchanges of reach `instance` are asked with `to`');
    }
    if (options.to !== undefined && !InstanceId.safeParse(options.to).success) {
      return refusedOf('bad_ask', '`to` is no instance id');
    }
    const body = encodeJson(ask);
    if (body === undefined) return refusedOf('bad_ask', 'the ask cannot be written as JSON');
    const { wire } = this.#options;
    if (body.length + headerRoomBytes > wire.maxPayloadBytes()) return refusedOf('too_large');
    if (!(options.waitMs > 0) || options.signal?.aborted === true) return refusedOf('timed_out');
    return wire.state() === 'connected' ? body : refusedOf('disconnected');
  }

  #arrived(token: string, arrival: Arrival): void {
    const waiting = this.#waiting.get(token);
    if (waiting !== undefined) waiting.take(arrival);
    else this.#options.log.debug({ token }, 'an answer came after its asker had gone');
  }
}
