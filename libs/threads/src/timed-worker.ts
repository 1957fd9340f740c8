import type { Worker } from 'node:worker_threads';

/** How a task ended: with the worker's reply, or with the worker. */
export type TaskResult<Reply> =
  | { readonly kind: 'replied'; readonly reply: Reply }
  /** This very task took longer than its limit. */
  | { readonly kind: 'timed_out' }
  /** The worker ended before it came to this task. */
  | { readonly kind: 'gone' };

/** A task that was given to a worker. */
export interface Submitted<Reply> {
  readonly result: Promise<TaskResult<Reply>>;
  /** Nothing is before it any more: it runs, or it has ended. */
  hasStarted(): boolean;
}

export interface TimedWorkerOptions<Reply> {
  /** Replies to each message `{ id, task }` with `{ id, reply }`, in order. */
  readonly worker: Worker;
  readonly onReply?: (reply: Reply) => void;
  readonly onEnd?: () => void;
}

interface Pending<Reply> {
  readonly limitMs: number;
  readonly resolve: (result: TaskResult<Reply>) => void;
}

/**
 * One worker thread. Its tasks run in order; the one at the head has its time limit, and when that is over the worker is
 * ended, because nothing else stops it. Only a task in progress keeps the process.
 */
export class TimedWorker<Task, Reply> {
  #isAlive = true;
  #lastId = 0;
  #watch: NodeJS.Timeout | undefined;
  readonly #pending = new Map<number, Pending<Reply>>();

  constructor(private readonly options: TimedWorkerOptions<Reply>) {
    const { worker } = options;
    worker.on('message', (message: { id: number; reply: Reply }) => this.#settle(message));
    worker.on('error', () => this.#end('gone'));
    worker.on('exit', () => this.#end('gone'));
    worker.unref();
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Tasks that run or wait. */
  get load(): number {
    return this.#pending.size;
  }

  run(task: Task, limitMs: number): Promise<TaskResult<Reply>> {
    return this.submit(task, limitMs).result;
  }

  submit(task: Task, limitMs: number): Submitted<Reply> {
    if (!this.#isAlive) return { result: Promise.resolve({ kind: 'gone' }), hasStarted: () => true };
    this.#lastId += 1;
    const id = this.#lastId;
    const result = new Promise<TaskResult<Reply>>((resolve) => this.#pending.set(id, { limitMs, resolve }));
    if (this.#pending.size === 1) this.#watchHead();
    this.options.worker.postMessage({ id, task });
    return { result, hasStarted: () => !this.#pending.has(id) || this.#pending.keys().next().value === id };
  }

  async stop(): Promise<void> {
    this.#end('gone');
    await this.options.worker.terminate();
  }

  #settle({ id, reply }: { readonly id: number; readonly reply: Reply }): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    this.#watchHead();
    pending.resolve({ kind: 'replied', reply });
    this.options.onReply?.(reply);
  }

  #watchHead(): void {
    clearTimeout(this.#watch);
    const [head] = this.#pending.values();
    if (head === undefined) {
      this.options.worker.unref();
      return;
    }
    this.options.worker.ref();
    this.#watch = setTimeout(() => this.#end('timed_out'), head.limitMs);
  }

  #end(headKind: 'timed_out' | 'gone'): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    clearTimeout(this.#watch);
    void this.options.worker.terminate();
    const [head, ...others] = this.#pending.values();
    this.#pending.clear();
    head?.resolve({ kind: headKind });
    for (const pending of others) pending.resolve({ kind: 'gone' });
    this.options.onEnd?.();
  }
}
