import { launchService, type Exit, type ServiceProcess } from '@uar/sandbox';

export interface ProcessPlan {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Asked at each start, so that a later start may keep the ports of the first. */
  readonly env: () => Readonly<Record<string, string>>;
  readonly owner: string;
  /** Absent: the process writes where we write. */
  readonly onLine?: (line: string) => void;
  /** Absent: no IPC channel. */
  readonly onMessage?: (message: unknown) => void;
  readonly say: (line: string) => void;
  readonly firstDelayMs?: number;
}

const longestDelayMs = 15_000;
const startLimitMs = 45_000;

/** One process that is kept running: when it ends without being asked to it is started again, later each time. */
export class SupervisedProcess {
  readonly name: string;
  readonly #plan: ProcessPlan;
  readonly #firstDelayMs: number;
  #process: ServiceProcess | undefined;
  #launching: Promise<void> = Promise.resolve();
  #stopping = false;
  #retry: NodeJS.Timeout | undefined;
  #delayMs: number;
  #reportReady: () => void = () => undefined;

  constructor(plan: ProcessPlan) {
    this.#plan = plan;
    this.name = plan.name;
    this.#firstDelayMs = plan.firstDelayMs ?? 500;
    this.#delayMs = this.#firstDelayMs;
  }

  /** Resolves once it is ready; rejects when it ends before, or takes too long. */
  async start(): Promise<void> {
    const ready = new Promise<'ready'>((resolve) => {
      this.#reportReady = () => resolve('ready');
    });
    const process = await this.#launch();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), startLimitMs);
    });
    const first = await Promise.race([ready, process.exited, late]);
    clearTimeout(timer);
    if (first === 'ready') return this.#watch(process);
    await this.stop(0);
    if (first === 'late') throw new Error(`${this.name} was not ready within ${startLimitMs / 1000} s`);
    throw new Error(`${this.name} ended before it was ready (${exitText(first)})`);
  }

  /** To be called by whoever hears that the process is ready. */
  markReady(): void {
    this.#delayMs = this.#firstDelayMs;
    this.#reportReady();
  }

  /** False: it had to be killed. */
  async stop(graceMs: number): Promise<boolean> {
    this.#stopping = true;
    clearTimeout(this.#retry);
    await this.#launching;
    const exit = await this.#process?.stop({ graceMs });
    return exit?.signal !== 'SIGKILL';
  }

  async #launch(): Promise<ServiceProcess> {
    const { command, args, env, owner, onLine, onMessage } = this.#plan;
    const output = onLine ?? 'inherit';
    const channel = onMessage === undefined ? {} : { onMessage };
    const launched = await launchService({ command, args, env: env(), owner, output, ...channel });
    if (launched.kind === 'failed') throw new Error(`${this.name}: ${launched.message}`);
    this.#process = launched.service;
    return launched.service;
  }

  #watch(process: ServiceProcess): void {
    void process.exited.then((exit) => {
      if (!this.#stopping) this.#startLater(exitText(exit));
    });
  }

  #startLater(because: string): void {
    const delayMs = this.#delayMs;
    this.#delayMs = Math.min(longestDelayMs, delayMs * 2);
    this.#plan.say(`${this.name} ended (${because}); it is started again in ${delayMs / 1000} s`);
    this.#retry = setTimeout(() => {
      this.#launching = this.#launch().then(
        (process) => this.#watch(process),
        () => this.#startLater('it could not be started'),
      );
    }, delayMs);
  }
}

function exitText({ code, signal }: Exit): string {
  return signal === null ? `exit code ${String(code)}` : `signal ${signal}`;
}
