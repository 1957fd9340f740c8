import { watch, type FSWatcher } from 'node:fs';

export interface PolicyWatchOptions {
  readonly folder: string;
  /** Changes whenever a file below the folder does. */
  readonly fingerprint: () => Promise<string>;
  /** Loads what the folder holds; `again`: even what was tried before. */
  readonly reload: (options: { readonly again: boolean }) => Promise<void>;
  readonly pollMs?: number;
}

const retryMs = 30_000;

/**
 * Reloads within two seconds of a change. The poll is what counts; events of the file system only make it sooner, because
 * they are lost on some mounts. A set that failed is tried again now and then: an engine may have been the reason.
 */
export class PolicyWatch {
  #seen: string | undefined;
  #triedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #events: FSWatcher | undefined;
  #isStopped = false;
  #checking: Promise<void> | undefined;

  constructor(private readonly options: PolicyWatchOptions) {}

  /** Loads for the first time; resolves when that has ended, well or not. */
  async start(): Promise<void> {
    await this.check();
    this.#schedule();
    this.#listen();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#events?.close();
    await this.#checking;
  }

  /** One look at a time; whoever asks during one waits for its end. */
  check(options: { readonly again: boolean } = { again: false }): Promise<void> {
    this.#checking ??= this.#check(options.again).finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(again: boolean): Promise<void> {
    const found = await this.options.fingerprint();
    const isDue = Date.now() - this.#triedAt > retryMs;
    if (found === this.#seen && !again && !isDue) return;
    this.#triedAt = Date.now();
    await this.options.reload({ again });
    this.#seen = found;
  }

  #schedule(): void {
    if (this.#isStopped) return;
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
