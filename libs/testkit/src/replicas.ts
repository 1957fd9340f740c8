import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { markerVariable } from '@uar/sandbox';
import { processesNaming } from './processes.js';
import { repositoryDir, type Product } from './product.js';

/** One more process of a service, beside the one that the launcher started. Nothing starts it again. */
export interface Replica {
  readonly pid: number;
  /** URL of a gateway. */
  readonly gateway: string | undefined;
  /** Resolves once the process is gone. */
  readonly exited: Promise<unknown>;
  /** kill -9; resolves once the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves once the process is gone. */
  stop(): Promise<void>;
}

export interface ReplicaOptions {
  /** Root of the build to run; this repository by default. */
  readonly root?: string;
  /** Port of a gateway; a free one by default. */
  readonly port?: number;
}

/** Starts it with the environment of the launcher's own process of that service; resolves once it is ready. */
export async function startReplica(
  product: Pick<Product, 'dataDir'>,
  service: 'gateway' | 'governance-decider' | 'approval-service',
  { root = repositoryDir, port = 0 }: ReplicaOptions = {},
): Promise<Replica> {
  const main = `apps/${service}/dist/main.js`;
  const first = processesNaming(product.dataDir).find(({ command }) => command.includes(main));
  if (first === undefined) throw new Error(`no ${service} runs`);
  // Whoever carries the marker of another is taken for its child, and killed with it.
  const environment = { ...first.environment };
  Reflect.deleteProperty(environment, markerVariable);
  const child = spawn(process.execPath, ['--no-turbo-inline-js-wasm-calls', join(root, main)], {
    env: { ...environment, UAR_PORT: String(port), UAR_MANAGEMENT_PORT: '0' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const [ready] = (await Promise.race([
    once(child, 'message'),
    exited.then(([code]) => Promise.reject(new Error(`${service} exited with ${String(code)}`))),
  ])) as [{ endpoints?: { gateway?: string } }];
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  return {
    pid: child.pid ?? 0,
    gateway: ready.endpoints?.gateway,
    exited,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}
