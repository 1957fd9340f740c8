import { watch, type FSWatcher } from 'node:fs';
import { inTime } from '../../domain/in-time.js';

export interface PolicyWatchOptions {
  readonly folder: string;
  /** Changes whenever a file below the folder does. */
  readonly fingerprint: () => Promise<string>;
  /** Loads what the folder holds; `again`: even what was tried before. Not begun once `signal` is aborted. */
  readonly reload: (options: { readonly again: boolean; readonly signal: AbortSignal }) => Promise<unknown>;
  readonly onProblem: (problem: string) => void;
  readonly pollMs?: number;
  /** For one look with all that it loads. */
  readonly deadlineMs?: number;
}

const retryMs = 30_000;
/** Longer than many tenants' sets take on a busy machine. */
const usualDeadlineMs = 120_000;

/**
 * Reloads within two seconds of a change. The poll is what counts; events of the file system only make it sooner, because
 * they are lost on some mounts. A set that failed is tried again now and then: an engine may have been the reason.
 */
export class PolicyWatch {
  #seen: string | undefined;
  #triedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #events: FSWatcher | undefined;
  readonly #stopping = new AbortController();
  #checking: Promise<void> | undefined;

  constructor(private readonly options: PolicyWatchOptions) {}

  /** Loads for the first time; resolves when that has ended, well or not. */
  async start(): Promise<void> {
    await this.check();
    this.#schedule();
    this.#listen();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    this.#events?.close();
    await this.#checking;
  }

  /** One look at a time; whoever asks during one waits for its end. Never rejects. */
  check(options: { readonly again: boolean } = { again: false }): Promise<void> {
    this.#checking ??= this.#check(options.again).finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(again: boolean): Promise<void> {
    const { deadlineMs = usualDeadlineMs, onProblem } = this.options;
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(deadlineMs)]);
    try {
      const looked = await inTime(this.#look(again, signal), signal);
      if (looked.kind === 'late' && !this.#stopping.signal.aborted)
        onProblem(`the policies were not loaded within ${deadlineMs} ms: they are tried again`);
    } catch (error) {
      onProblem(`the policies were not loaded: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #look(again: boolean, signal: AbortSignal): Promise<void> {
    const found = await this.options.fingerprint();
    const isDue = Date.now() - this.#triedAt > retryMs;
    if (signal.aborted || (found === this.#seen && !again && !isDue)) return;
    this.#triedAt = Date.now();
    await this.options.reload({ again, signal });
    // A reload whose turn came too late was not begun.
    if (!signal.aborted) this.#seen = found;
  }

  #schedule(): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => {
      void this.check().finally(() => this.#schedule());
    }, this.options.pollMs ?? 1_000);
    this.#timer.unref();
  }

  #listen(): void {
    try {
      this.#events = watch(this.options.folder, { recursive: true }, () => void this.check());
      this.#events.on('error', () => this.#events?.close());
      this.#events.unref();
    } catch {
      this.#events = undefined;
    }
  }
}
