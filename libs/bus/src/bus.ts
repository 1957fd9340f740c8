import type {
  Announcement,
  AnswerOf,
  AskOf,
  BodyOf,
  Exchange,
  InstanceId,
  ServiceName,
} from '@uar/contracts';

export type BusFaultKind =
  'no_responders' | 'timed_out' | 'bad_ask' | 'bad_answer' | 'too_large' | 'faulted' | 'disconnected';

/**
 * Why an ask has no answer. Only `no_responders`, and whatever has `beforeDispatch`, prove that no handler ran; after
 * every other fault it may have run.
 */
export interface BusFault {
  readonly kind: 'fault';
  readonly fault: BusFaultKind;
  readonly message: string;
  /** True when no handler was reached: refused by this end, by the permissions of the server, or by the answering end as not fitting its contract. */
  readonly beforeDispatch: boolean;
  /** Names the log line at the answering end; only with `faulted`. */
  readonly faultId?: string;
}

export interface Answered<T> {
  readonly kind: 'answered';
  readonly value: T;
}

export type Reply<E extends Exchange> = Answered<AnswerOf<E>> | BusFault;

export interface AskOptions {
  /** The instance to ask; required for exchanges of reach `instance`, refused for others. */
  readonly to?: InstanceId;
  /** Milliseconds from now; never longer than the exchange's own. */
  readonly deadlineMs?: number;
  /** Ends the wait with `timed_out`; the answering end is not told. */
  readonly signal?: AbortSignal;
  /** W3C traceparent. */
  readonly trace?: string;
}

/** Announcements are fire and forget; `dropped` says that this one left nowhere, and why. */
export type Announced =
  | { readonly kind: 'sent' }
  | { readonly kind: 'dropped'; readonly cause: 'not_allowed' | 'bad_body' | 'too_large' | 'disconnected' };

/** What an answering handler knows of the ask besides its body. */
export interface AskContext {
  /** Epoch milliseconds after which nobody waits for the answer. An ask that arrives later is dropped, never run. */
  readonly deadlineAt: number;
  /** Aborts at the deadline, when the bus closes, or by `abort`. */
  readonly signal: AbortSignal;
  readonly trace?: string;
  /** Lets the handler's own side end the work before the deadline: saves it a controller of its own. */
  abort(reason?: unknown): void;
}

export type AskHandler<E extends Exchange> = (
  ask: AskOf<E>,
  context: AskContext,
) => AnswerOf<E> | Promise<AnswerOf<E>>;

export type BusState = 'connected' | 'disconnected' | 'draining' | 'closed';

/** One service's connection to the bus: the same over NATS and in process (one conformance suite for both). */
export interface Bus {
  readonly service: ServiceName;
  readonly instance: InstanceId;
  state(): BusState;
  /** Set once the server refused something to this service: a wiring bug that keeps readiness off. */
  violation(): string | undefined;
  /** What topology does not allow is a `bad_ask` before dispatch, and a violation. Never throws, never rejects. */
  ask<E extends Exchange>(exchange: E, ask: AskOf<E>, options?: AskOptions): Promise<Reply<E>>;
  /** Answers asks in a queue group of all replicas (`any`) or alone (`instance`). Throws on what topology does not allow. */
  answer<E extends Exchange>(exchange: E, handler: NoInfer<AskHandler<E>>): void;
  announce<A extends Announcement>(announcement: A, body: BodyOf<A>): Announced;
  /** Every replica hears every announcement. The returned function ends it. Throws on what topology does not allow. */
  listen<A extends Announcement>(announcement: A, listener: (body: BodyOf<A>) => void): () => void;
  /** Resolves once every `answer` and `listen` so far is in force and every announcement so far has left. */
  flush(): Promise<void>;
  /** Takes no new asks, waits for running handlers (at most `graceMs`) and their replies, then closes. */
  drain(graceMs?: number): Promise<void>;
  /** Ends at once: pending asks get `disconnected`, running handlers' signals abort. */
  close(): Promise<void>;
}

/** Injection token of the bus in Nest modules. */
export const BUS = Symbol('uar.bus');
