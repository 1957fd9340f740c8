import { existsSync } from 'node:fs';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** For `node --import`: a process or thread that runs TypeScript sources of the repository. */
export const sourceHooks = new URL('../sources/register.mjs', import.meta.url);

export interface WorkerFile {
  /** `import.meta.url` of a module in the folder of the worker. */
  readonly beside: string;
  /** Of the worker's own module, without its ending. */
  readonly name: string;
}

/** Starts a worker as it was built, or from its source where nothing is built. */
export function startWorker({ beside, name }: WorkerFile, options: WorkerOptions): Worker {
  const built = new URL(`./${name}.js`, beside);
  if (existsSync(built)) return new Worker(built, options);
  const source = new URL(`./${name}.ts`, beside);
  return new Worker(new URL('../sources/entry.mjs', import.meta.url), { ...options, argv: [source.href] });
}
