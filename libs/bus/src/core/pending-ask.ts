import type { Exchange } from '@uar/contracts';
import { z } from 'zod';
import type { BusFault, Reply } from '../bus.js';
import { Assembly, decodeJson } from './codec.js';
import { faultFromWire, faultOf } from './fault.js';
import type { Arrival, Incoming } from './wire.js';

interface PendingAskOptions<E extends Exchange> {
  readonly exchange: E;
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
  readonly maxAnswerBytes: number;
  settle(reply: Reply<E>): void;
}

/** One ask that waits for its answer. Settles once. */
export class PendingAsk<E extends Exchange> {
  readonly #options: PendingAskOptions<E>;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort: (() => void) | undefined;
  #assembly: Assembly | undefined;

  constructor(
    readonly subject: string,
    options: PendingAskOptions<E>,
  ) {
    this.#options = options;
    this.#timer = setTimeout(() => this.fail(faultOf('timed_out')), options.waitMs);
    if (options.signal !== undefined) {
      this.#onAbort = () => this.fail(faultOf('timed_out', 'the asker stopped waiting'));
      options.signal.addEventListener('abort', this.#onAbort);
    }
  }

  take(arrival: Arrival): void {
    if (arrival === 'no_responders') return this.fail(faultOf('no_responders'));
    const { headers } = arrival;
    if (headers?.fault !== undefined) return this.fail(faultFromWire(headers.fault, headers));
    this.#assemble(arrival);
  }

  fail(fault: BusFault): void {
    this.#settle(fault);
  }

  #assemble(message: Incoming): void {
    this.#assembly ??= new Assembly(this.#options.maxAnswerBytes);
    const assembled = this.#assembly.add(message);
    switch (assembled.kind) {
      case 'partial':
        return;
      case 'whole':
        return this.#settle(this.#replyOf(assembled.body));
      case 'too_large':
        return this.fail(faultOf('too_large'));
      case 'broken':
        return this.fail(faultOf('bad_answer', 'the parts of the answer do not fit together'));
    }
  }

  #replyOf(body: Uint8Array): Reply<E> {
    const parsed = z.safeParse<E['answer']>(this.#options.exchange.answer, decodeJson(body));
    return parsed.success ? { kind: 'answered', value: parsed.data } : faultOf('bad_answer');
  }

  #settle(reply: Reply<E>): void {
    clearTimeout(this.#timer);
    if (this.#onAbort !== undefined) this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#options.settle(reply);
  }
}
