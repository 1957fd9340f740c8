import type { Worker } from 'node:worker_threads';
import { startWorker } from '@uar/threads';
import { LedgerError } from '../ledger-error.js';
import type { Link } from './link.js';
import { Pending } from './pending.js';
import type { FromWorker, ToWorker, WorkerTask } from './worker-messages.js';

export function startLedgerWorker(task: WorkerTask): Worker {
  const options = { workerData: task, name: `ledger ${task.kind}` };
  return startWorker({ beside: import.meta.url, name: 'worker' }, options);
}

/** The first thing a worker says; rejects when it refuses or dies instead. */
export function firstWord(worker: Worker): Promise<Exclude<FromWorker, { kind: 'refused' }>> {
  return new Promise((resolve, reject) => {
    worker.once('message', (message: FromWorker) => {
      if (message.kind !== 'refused') resolve(message);
      else if (message.cause === 'bug') reject(new Error(message.message));
      else reject(new LedgerError(message.cause, message.message));
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new LedgerError('unavailable', 'the ledger thread ended')));
  });
}

/** A ledger in a thread of its own. A thread that dies takes the ledger with it: everything is `unavailable` from then on. */
export class WorkerThread implements Link {
  readonly #worker: Worker;
  readonly #pending: Pending;
  readonly #ended: Promise<void>;

  /** `worker` has said `ready`. */
  constructor(worker: Worker) {
    this.#worker = worker;
    this.#pending = new Pending((requests) => this.#send({ kind: 'requests', requests }));
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'responses') this.#pending.settle(message.responses);
    });
    worker.on('error', (error) =>
      this.#pending.end(new LedgerError('unavailable', `the ledger thread broke: ${String(error)}`)),
    );
    this.#ended = new Promise((resolve) => {
      worker.once('exit', () => {
        this.#pending.end(new LedgerError('unavailable', 'the ledger is closed'));
        resolve();
      });
    });
  }

  readonly ask: Link['ask'] = (operation, input) => this.#pending.ask(operation, input);

  async close(): Promise<void> {
    this.#pending.flush();
    this.#pending.refuseNew(new LedgerError('unavailable', 'the ledger is closed'));
    this.#send({ kind: 'close' });
    await this.#ended;
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }
}
