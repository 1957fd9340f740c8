import { LedgerError } from '../ledger-error.js';
import type { Request, Response } from './link.js';
import type { Input, Operation, Output } from '../store.js';

interface Waiter {
  resolve(output: unknown): void;
  reject(error: Error): void;
}

/** Requests that wait for their response; those of one turn of the event loop are sent together. */
export class Pending {
  readonly #waiters = new Map<number, Waiter>();
  readonly #send: (requests: readonly Request[]) => void;
  #unsent: Request[] = [];
  #lastId = 0;
  #closed: LedgerError | undefined;

  constructor(send: (requests: readonly Request[]) => void) {
    this.#send = send;
  }

  ask<K extends Operation>(operation: K, input: Input<K>): Promise<Output<K>> {
    if (this.#closed) return Promise.reject(this.#closed);
    const id = (this.#lastId += 1);
    // `operation` and `input` belong together by the signature; the union cannot say so.
    const request = { id, operation, input } as Request;
    if (this.#unsent.push(request) === 1) setImmediate(() => this.flush());
    return new Promise<Output<K>>((resolve, reject) => {
      this.#waiters.set(id, { resolve: (output) => resolve(output as Output<K>), reject });
    });
  }

  flush(): void {
    const requests = this.#unsent;
    this.#unsent = [];
    if (requests.length > 0) this.#send(requests);
  }

  settle(responses: readonly Response[]): void {
    for (const response of responses) {
      const waiter = this.#waiters.get(response.id);
      this.#waiters.delete(response.id);
      if (response.kind === 'done') waiter?.resolve(response.output);
      else waiter?.reject(errorOf(response));
    }
  }

  /** Refuses what waits and all that comes. */
  end(error: LedgerError): void {
    this.#closed ??= error;
    for (const waiter of this.#waiters.values()) waiter.reject(error);
    this.#waiters.clear();
    this.#unsent = [];
  }

  /** Takes nothing new; what waits is still answered. */
  refuseNew(error: LedgerError): void {
    this.#closed ??= error;
  }
}

function errorOf({ cause, message }: Extract<Response, { kind: 'failed' }>): Error {
  return cause === 'bug' ? new Error(message) : new LedgerError(cause, message);
}
