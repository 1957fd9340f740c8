import { Worker } from 'node:worker_threads';
import type { WorkerReply, WorkerResult, WorkerStart, WorkerTask } from './worker/worker-protocol.js';

/** How a task ended: the worker's own result, or the end of the worker. */
export type SeatResult =
  | WorkerResult
  /** This very task took longer than its limit. */
  | { readonly kind: 'timed_out' }
  /** The worker ended before it came to this task. */
  | { readonly kind: 'gone' };

/** A task that was given to a worker. */
export interface Submitted {
  readonly result: Promise<SeatResult>;
  /** Nothing is before it any more: it runs, or it has ended. */
  hasStarted(): boolean;
}

interface Pending {
  readonly limitMs: number;
  readonly resolve: (result: SeatResult) => void;
}

export interface SeatHealth {
  readonly throws: number;
  readonly memoryBytes: number;
}

/**
 * One worker thread with one wasm instance. Tasks run in order; the one at the head has its time limit, and when that is
 * over the worker is ended, because nothing else stops it.
 */
export class Seat {
  /** Versions of the sets it holds, in its own order of tasks. */
  readonly installed = new Set<string>();
  #health: SeatHealth = { throws: 0, memoryBytes: 0 };
  #isAlive = true;
  #lastId = 0;
  #watch: NodeJS.Timeout | undefined;
  readonly #pending = new Map<number, Pending>();
  readonly #worker: Worker;

  constructor(
    start: WorkerStart,
    private readonly onEvent: (event: 'replied' | 'ended') => void,
  ) {
    this.#worker = new Worker(new URL('./worker/cedar-worker.mjs', import.meta.url), {
      workerData: start,
      name: 'cedar',
    });
    this.#worker.on('message', (reply: WorkerReply) => this.#settle(reply));
    this.#worker.on('error', () => this.#end('gone'));
    this.#worker.on('exit', () => this.#end('gone'));
    // Only a task in progress keeps the process.
    this.#worker.unref();
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get health(): SeatHealth {
    return this.#health;
  }

  get load(): number {
    return this.#pending.size;
  }

  run(task: WorkerTask, limitMs: number): Promise<SeatResult> {
    return this.submit(task, limitMs).result;
  }

  submit(task: WorkerTask, limitMs: number): Submitted {
    if (!this.#isAlive) return { result: Promise.resolve({ kind: 'gone' }), hasStarted: () => true };
    this.#lastId += 1;
    const id = this.#lastId;
    const result = new Promise<SeatResult>((resolve) => this.#pending.set(id, { limitMs, resolve }));
    if (this.#pending.size === 1) this.#watchHead();
    this.#worker.postMessage({ ...task, id });
    return { result, hasStarted: () => !this.#pending.has(id) || this.#pending.keys().next().value === id };
  }

  /** Lets running tasks end first. */
  async retire(): Promise<void> {
    await this.run({ op: 'retire', versions: [] }, 10_000);
    await this.stop();
  }

  async stop(): Promise<void> {
    this.#end('gone');
    await this.#worker.terminate();
  }

  #settle(reply: WorkerReply): void {
    const pending = this.#pending.get(reply.id);
    if (pending === undefined) return;
    this.#pending.delete(reply.id);
    this.#health = { throws: reply.throws, memoryBytes: reply.memoryBytes };
    this.#watchHead();
    pending.resolve(reply.result);
    this.onEvent('replied');
  }

  #watchHead(): void {
    clearTimeout(this.#watch);
    const [head] = this.#pending.values();
    if (head === undefined) {
      this.#worker.unref();
      return;
    }
    this.#worker.ref();
    this.#watch = setTimeout(() => this.#end('timed_out'), head.limitMs);
  }

  #end(headKind: 'timed_out' | 'gone'): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    clearTimeout(this.#watch);
    void this.#worker.terminate();
    const [head, ...others] = this.#pending.values();
    this.#pending.clear();
    head?.resolve({ kind: headKind });
    for (const pending of others) pending.resolve({ kind: 'gone' });
    this.onEvent('ended');
  }
}
