import type { Exchange, InstanceId, ServiceName } from '@uar/contracts';
import type { Log } from '@uar/telemetry';
import { z } from 'zod';
import { AnswerContext } from './answer-context.js';
import type { AskHandler, BusFaultKind } from '../bus.js';
import { decodeJson, encodeJson, partsOf, traceOf } from './codec.js';
import { placeIn } from './fault.js';
import { newFaultId } from './random-id.js';
import {
  headerRoomBytes,
  type Incoming,
  type Wire,
  type WireHeaders,
  type WireSubscription,
} from './wire.js';

interface AnswererOptions {
  readonly wire: Wire;
  readonly service: ServiceName;
  readonly instance: InstanceId;
  readonly log: Log;
  readonly maxAnswerBytes: number;
}

/** Replies go to inboxes alone: a forged reply subject must not make us speak elsewhere. */
const inboxPattern = /^(?:uar\.inbox|_INBOX)\.[A-Za-z0-9._-]{1,200}$/;
const deadlinePattern = /^\d{1,15}$/;
const nothing = Buffer.alloc(0);

/** One ask being answered. */
interface Turn {
  readonly exchange: Exchange;
  readonly reply: string;
  readonly context: AnswerContext;
}

interface Refused extends Pick<WireHeaders, 'faultAt'> {
  readonly fault: BusFaultKind;
}

/** The answering half of a bus: runs handlers concurrently and knows which still run. */
export class Answerer {
  readonly #options: AnswererOptions;
  readonly #running = new Set<AnswerContext>();
  readonly #subscriptions = new Map<string, WireSubscription>();
  #onIdle: (() => void)[] = [];

  constructor(options: AnswererOptions) {
    this.#options = options;
  }

  answer<E extends Exchange>(exchange: E, handler: AskHandler<E>): void {
    const { wire, service, instance } = this.#options;
    if (this.#subscriptions.has(exchange.subject)) throw new Error(`${exchange.subject} is answered already`);
    const onMessage = (message: Incoming) => this.#receive(exchange, handler, message);
    const subscription =
      exchange.reach === 'instance'
        ? wire.subscribe({ subject: `${exchange.subject}.${instance}`, onMessage })
        : wire.subscribe({ subject: exchange.subject, queue: service, onMessage });
    this.#subscriptions.set(exchange.subject, subscription);
  }

  /** Takes no new asks; resolves when the last one taken has been answered. */
  async drain(): Promise<void> {
    await Promise.all([...this.#subscriptions.values()].map((subscription) => subscription.drain()));
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  abortAll(): void {
    for (const context of this.#running) context.abort();
  }

  #receive<E extends Exchange>(exchange: E, handler: AskHandler<E>, message: Incoming): void {
    const { reply, headers } = message;
    if (reply === undefined || !inboxPattern.test(reply)) {
      this.#options.log.warn(
        { subject: exchange.subject },
        'an ask without an inbox for its answer was dropped',
      );
      return;
    }
    const now = Date.now();
    const asked = headers?.deadline;
    if (asked !== undefined && !deadlinePattern.test(asked))
      return this.#refuse(exchange, reply, { fault: 'bad_ask' });
    const deadlineAt = Math.min(now + exchange.deadlineMs, asked === undefined ? Infinity : Number(asked));
    if (deadlineAt <= now) {
      this.#options.log.warn(
        { subject: exchange.subject, late_ms: now - deadlineAt },
        'a late ask was dropped',
      );
      return;
    }
    const parsed = z.safeParse<E['ask']>(exchange.ask, decodeJson(message.body));
    if (!parsed.success)
      return this.#refuse(exchange, reply, { fault: 'bad_ask', faultAt: placeIn(parsed.error) });
    const context = new AnswerContext(deadlineAt, traceOf(headers?.trace));
    this.#run({ exchange, reply, context }, () => handler(parsed.data, context));
  }

  #run(turn: Turn, body: () => unknown): void {
    this.#running.add(turn.context);
    try {
      const result = body();
      if (!(result instanceof Promise)) return this.#finish(turn, result);
      result.then(
        (value: unknown) => this.#finish(turn, value),
        (thrown: unknown) => this.#fault(turn, thrown),
      );
    } catch (thrown) {
      this.#fault(turn, thrown);
    }
  }

  #finish(turn: Turn, value: unknown): void {
    const body = encodeJson(value);
    if (body === undefined) {
      return this.#fault(turn, new TypeError('the answer cannot be written as JSON'));
    }
    this.#send(turn.exchange, turn.reply, body);
    this.#end(turn.context);
  }

  #fault({ exchange, reply, context }: Turn, err: unknown): void {
    const faultId = newFaultId();
    this.#options.log.error({ fault_id: faultId, subject: exchange.subject, err }, 'a handler failed');
    this.#publish(reply, nothing, { fault: 'faulted', faultId });
    this.#end(context);
  }

  #end(context: AnswerContext): void {
    context.end();
    this.#running.delete(context);
    if (this.#running.size > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #send(exchange: Exchange, reply: string, body: Buffer): void {
    const { wire, maxAnswerBytes } = this.#options;
    if (body.length > maxAnswerBytes) return this.#refuse(exchange, reply, { fault: 'too_large' });
    const parts = partsOf(body, wire.maxPayloadBytes() - headerRoomBytes);
    if (parts.length === 1) return this.#publish(reply, body);
    parts.forEach((part, index) => this.#publish(reply, part, { part: `${index + 1}/${parts.length}` }));
  }

  #refuse({ subject }: Exchange, reply: string, headers: Refused): void {
    const { fault, faultAt } = headers;
    this.#options.log.warn({ subject, fault, at: faultAt }, 'an ask was answered with a fault');
    this.#publish(reply, nothing, headers);
  }

  #publish(subject: string, body: Buffer, headers?: WireHeaders): void {
    this.#options.wire.publish({ subject, body, headers });
  }
}
