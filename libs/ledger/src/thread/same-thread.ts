import { LedgerError } from '../ledger-error.js';
import type { Link } from './link.js';
import { Pending } from './pending.js';
import type { Engine } from '../engine.js';

/** A ledger in this thread: for one in memory, where no disk makes anybody wait. */
export class SameThread implements Link {
  readonly #pending: Pending;
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#pending = new Pending((requests) => this.#pending.settle(engine.run(requests)));
  }

  readonly ask: Link['ask'] = (operation, input) => this.#pending.ask(operation, input);

  close(): Promise<void> {
    this.#pending.flush();
    this.#pending.end(new LedgerError('unavailable', 'the ledger is closed'));
    this.#engine.close();
    return Promise.resolve();
  }
}
