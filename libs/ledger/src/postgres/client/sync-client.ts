import { MessageChannel, receiveMessageOnPort, type MessagePort, type Worker } from 'node:worker_threads';
import type { PostgresPlace } from '@uar/postgres-url';
import { startWorker } from '@uar/threads';
import type {
  ClientStart,
  Command,
  CommandFailure,
  CommandResult,
  FromClient,
  SessionLimits,
  ToClient,
} from './client-messages.js';

export interface ClientOptions {
  readonly place: PostgresPlace;
  readonly password?: string;
  readonly limits: SessionLimits;
}

/** How much longer than a statement may take its answer is waited for. */
const wayMs = 1_000;

/** Statements as a thread asks them that has nothing else to do than to wait: the client itself is in a thread of its own. */
export class SyncClient {
  readonly #port: MessagePort;
  readonly #worker: Worker;
  readonly #answers = new Int32Array(new SharedArrayBuffer(4));
  #limits: SessionLimits;
  #lastId = 0;

  constructor({ place, password, limits }: ClientOptions) {
    const { port1, port2 } = new MessageChannel();
    const start: ClientStart = {
      place,
      limits,
      answers: this.#answers,
      ...(password === undefined ? {} : { password }),
    };
    this.#worker = startWorker(
      { beside: import.meta.url, name: 'client-worker' },
      { workerData: { port: port2, start }, transferList: [port2], name: 'ledger postgres' },
    );
    this.#worker.unref();
    this.#limits = limits;
    this.#port = port1;
    this.#port.unref();
  }

  /** Blocks. `continues`: in a transaction that was begun before. */
  run(commands: readonly Command[], continues: boolean): readonly CommandResult[] | CommandFailure {
    const id = this.#send(commands, continues);
    const { connectMs, statementMs } = this.#limits;
    const answer = this.#answerTo(id, statementMs + wayMs + (continues ? 0 : connectMs));
    if (answer?.kind === 'done') return answer.results;
    if (answer !== undefined) return answer.failure;
    this.#post({ kind: 'give_up' });
    return { code: 'ETIMEDOUT', message: 'the server does not answer', isLost: true };
  }

  /** Waits for nothing: what goes wrong shows with the next that is asked. */
  post(commands: readonly Command[]): void {
    this.#send(commands, true);
  }

  setLimits(limits: SessionLimits): void {
    this.#limits = limits;
    this.#post({ kind: 'limits', limits });
  }

  close(): void {
    this.#worker.ref();
    this.#post({ kind: 'close' });
  }

  #send(commands: readonly Command[], continues: boolean): number {
    const id = (this.#lastId += 1);
    this.#post({ kind: 'run', id, commands, continues });
    return id;
  }

  #post(message: ToClient): void {
    this.#port.postMessage(message);
  }

  /** Undefined when there is none in time. */
  #answerTo(id: number, timeoutMs: number): FromClient | undefined {
    const until = performance.now() + timeoutMs;
    for (;;) {
      const seen = Atomics.load(this.#answers, 0);
      for (let next = receiveMessageOnPort(this.#port); next; next = receiveMessageOnPort(this.#port)) {
        const answer: FromClient = next.message;
        if (answer.id === id) return answer;
      }
      const left = until - performance.now();
      if (left <= 0 || Atomics.wait(this.#answers, 0, seen, left) === 'timed-out') return undefined;
    }
  }
}
