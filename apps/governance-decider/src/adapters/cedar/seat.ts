import { Worker } from 'node:worker_threads';
import { TimedWorker } from '@uar/threads';
import type { WorkerReply, WorkerResult, WorkerStart, WorkerTask } from './worker/worker-protocol.js';

/** How a task ended: the worker's own result, or the end of the worker. */
export type SeatResult =
  | WorkerResult
  /** This very task took longer than its limit. */
  | { readonly kind: 'timed_out' }
  /** The worker ended before it came to this task. */
  | { readonly kind: 'gone' };

/** A task that was given to a worker. */
export interface SeatTask {
  readonly result: Promise<SeatResult>;
  /** Nothing is before it any more: it runs, or it has ended. */
  hasStarted(): boolean;
}

export interface SeatHealth {
  readonly throws: number;
  readonly memoryBytes: number;
}

/** One worker thread with one wasm instance. */
export class Seat {
  /** Versions of the sets it holds, in its own order of tasks. */
  readonly installed = new Set<string>();
  #health: SeatHealth = { throws: 0, memoryBytes: 0 };
  readonly #worker: TimedWorker<WorkerTask, WorkerReply>;

  constructor(start: WorkerStart, onEvent: (event: 'replied' | 'ended') => void) {
    const entry = new URL('./worker/cedar-worker.mjs', import.meta.url);
    this.#worker = new TimedWorker({
      worker: new Worker(entry, { workerData: start, name: 'cedar' }),
      onReply: ({ throws, memoryBytes }) => {
        this.#health = { throws, memoryBytes };
        onEvent('replied');
      },
      onEnd: () => onEvent('ended'),
    });
  }

  get isAlive(): boolean {
    return this.#worker.isAlive;
  }

  get health(): SeatHealth {
    return this.#health;
  }

  get load(): number {
    return this.#worker.load;
  }

  run(task: WorkerTask, limitMs: number): Promise<SeatResult> {
    return this.submit(task, limitMs).result;
  }

  submit(task: WorkerTask, limitMs: number): SeatTask {
    const { result, hasStarted } = this.#worker.submit(task, limitMs);
    return {
      result: result.then((ended) => (ended.kind === 'replied' ? ended.reply.result : ended)),
      hasStarted,
    };
  }

  /** Lets running tasks end first. */
  async retire(): Promise<void> {
    await this.run({ op: 'retire', versions: [] }, 10_000);
    await this.stop();
  }

  async stop(): Promise<void> {
    await this.#worker.stop();
  }
}
