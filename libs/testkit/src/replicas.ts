import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryDir, type Product } from './product.js';

/** One more process of a service, beside the one that the launcher started. */
export interface Replica {
  readonly pid: number;
  /** URL of a gateway. */
  readonly gateway: string | undefined;
  /** kill -9; resolves once the process is gone. Nothing starts it again. */
  kill(): Promise<void>;
}

/** Process ids of one service of a product on NATS. */
export function pidsOf(product: Pick<Product, 'dataDir'>, service: string): number[] {
  const script = `for p in $(grep -la "${product.dataDir}" /proc/[0-9]*/environ 2>/dev/null); do d=$(dirname $p); tr '\\0' ' ' < $d/cmdline | grep -q "apps/${service}/dist/main.js" && basename $d; done; true`;
  return execFileSync('sh', ['-c', script]).toString().split('\n').filter(Boolean).map(Number);
}

/** Starts it with the environment of the launcher's own process of that service, on ports of its own. */
export async function startReplica(
  product: Pick<Product, 'dataDir'>,
  service: 'gateway' | 'governance-decider',
): Promise<Replica> {
  const [first] = pidsOf(product, service);
  if (first === undefined) throw new Error(`no ${service} runs`);
  const child = spawn(
    process.execPath,
    ['--no-turbo-inline-js-wasm-calls', join(repositoryDir, `apps/${service}/dist/main.js`)],
    {
      env: { ...environmentOf(first), UAR_PORT: '0', UAR_MANAGEMENT_PORT: '0' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  );
  const [ready] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${service} exited with ${String(code)}`))),
  ])) as [{ endpoints?: { gateway?: string } }];
  return {
    pid: child.pid ?? 0,
    gateway: ready.endpoints?.gateway,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function environmentOf(pid: number): Record<string, string> {
  const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  return Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s)));
}
