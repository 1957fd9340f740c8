import type { Announcement, AskOf, BodyOf, Exchange, InstanceId, ServiceName } from '@uar/contracts';
import { createLog, type Log } from '@uar/telemetry';
import { z } from 'zod';
import { Answerer } from './answerer.js';
import { Asker } from './asker.js';
import type { Announced, AskHandler, AskOptions, Bus, BusState, Reply } from '../bus.js';
import { decodeJson, encodeJson } from './codec.js';
import { refusedOf } from './fault.js';
import { newInstanceId } from './random-id.js';
import { rightsOf, type Rights } from './rights.js';
import { headerRoomBytes, type Incoming, type Refusal, type Wire } from './wire.js';
import { within } from './within.js';

export interface ConnectOptions {
  readonly service: ServiceName;
  /** Default: a new one. */
  readonly instance?: InstanceId;
  readonly log?: Log;
  /** Longest answer taken or given. Default 12 MB. */
  readonly maxAnswerBytes?: number;
}

const defaultMaxAnswerBytes = 12 * 1024 * 1024;
const defaultGraceMs = 30_000;
const sent: Announced = { kind: 'sent' };

/** The bus of one service over any wire. Rights are checked here, before a server could refuse. */
export class ServiceBus implements Bus {
  readonly service: ServiceName;
  readonly instance: InstanceId;
  readonly #wire: Wire;
  readonly #log: Log;
  readonly #rights: Rights;
  readonly #asker: Asker;
  readonly #answerer: Answerer;
  #violation: string | undefined;
  #drained: Promise<void> | undefined;

  constructor(wire: Wire, options: ConnectOptions) {
    this.service = options.service;
    this.instance = options.instance ?? newInstanceId();
    this.#wire = wire;
    this.#log = options.log ?? createLog({ service: options.service, level: 'warn' });
    this.#rights = rightsOf(options.service);
    const halves = {
      wire,
      service: this.service,
      instance: this.instance,
      log: this.#log,
      maxAnswerBytes: options.maxAnswerBytes ?? defaultMaxAnswerBytes,
    };
    wire.watch({
      onLost: () => this.#lost(),
      onRefused: (refusal) => this.#refused(refusal),
    });
    this.#asker = new Asker(halves);
    this.#answerer = new Answerer(halves);
  }

  state(): BusState {
    const state = this.#wire.state();
    return state !== 'closed' && this.#drained !== undefined ? 'draining' : state;
  }

  violation(): string | undefined {
    return this.#violation;
  }

  ask<E extends Exchange>(exchange: E, ask: AskOf<E>, options: AskOptions = {}): Promise<Reply<E>> {
    if (this.#rights.asks.has(exchange.subject)) return this.#asker.ask(exchange, ask, options);
    return Promise.resolve(refusedOf('bad_ask', this.#violate('ask', exchange.subject)));
  }

  answer<E extends Exchange>(exchange: E, handler: NoInfer<AskHandler<E>>): void {
    if (!this.#rights.answers.has(exchange.subject))
      throw new Error(this.#violate('answer', exchange.subject));
    this.#answerer.answer(exchange, handler);
  }

  announce<A extends Announcement>({ subject, body: schema }: A, body: BodyOf<A>): Announced {
    if (!this.#rights.announces.has(subject)) {
      this.#violate('announce', subject);
      return { kind: 'dropped', cause: 'not_allowed' };
    }
    const bytes = z.safeParse(schema, body).success ? encodeJson(body) : undefined;
    if (bytes === undefined) return this.#dropped(subject, 'bad_body');
    if (bytes.length + headerRoomBytes > this.#wire.maxPayloadBytes())
      return this.#dropped(subject, 'too_large');
    return this.#wire.publish({ subject, body: bytes }) ? sent : { kind: 'dropped', cause: 'disconnected' };
  }

  listen<A extends Announcement>(announcement: A, listener: (body: BodyOf<A>) => void): () => void {
    const { subject } = announcement;
    if (!this.#rights.listens.has(subject)) throw new Error(this.#violate('listen', subject));
    const onMessage = (message: Incoming) => this.#heard(announcement, listener, message);
    const subscription = this.#wire.subscribe({ subject, onMessage });
    return () => subscription.end();
  }

  flush(): Promise<void> {
    return this.#wire.flush();
  }

  drain(graceMs: number = defaultGraceMs): Promise<void> {
    this.#drained ??= this.#drain(graceMs);
    return this.#drained;
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  async #drain(graceMs: number): Promise<void> {
    const done = this.#answerer.drain().then(() => this.#wire.flush());
    if (!(await within(done, graceMs))) {
      this.#log.warn({ grace_ms: graceMs }, 'handlers outlived the grace');
    }
    await this.close();
  }

  #lost(): void {
    this.#asker.failAll();
    if (this.#wire.state() === 'closed') this.#answerer.abortAll();
  }

  #heard<A extends Announcement>(
    { subject, body }: A,
    listener: (body: BodyOf<A>) => void,
    message: Incoming,
  ): void {
    const parsed = z.safeParse<A['body']>(body, decodeJson(message.body));
    if (!parsed.success) {
      this.#log.warn({ subject }, 'an announcement that does not fit its contract was dropped');
      return;
    }
    try {
      listener(parsed.data);
    } catch (err) {
      this.#log.error({ subject, err }, 'a listener failed');
    }
  }

  #dropped(subject: string, cause: 'bad_body' | 'too_large'): Announced {
    this.#log.error({ subject, cause }, 'an announcement could not be sent');
    return { kind: 'dropped', cause };
  }

  #refused(refusal: Refusal): void {
    this.#violate(refusal.operation === 'publish' ? 'publish to' : 'subscribe to', refusal.subject);
    this.#asker.failRefused(refusal);
  }

  #violate(verb: string, subject: string): string {
    const violation = `${this.service} may not ${verb} ${subject}`;
    if (this.#violation === undefined)
      this.#log.error({ violation }, 'the bus refused something to this service');
    this.#violation ??= violation;
    return violation;
  }
}
