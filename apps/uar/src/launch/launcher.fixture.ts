import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { productRoot } from '@uar/config';
import { Endpoints } from '../client/endpoints-file.js';

export interface Launched {
  readonly process: ChildProcess;
  output(): string;
  /** `--json` prints the endpoints in one line once everything is ready; rejects when the launcher ends instead. */
  readonly ready: Promise<Endpoints>;
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
}

/** `uar up --json` of the build, as a process of its own. */
export function launchUp(options: {
  folder: string;
  env: Record<string, string>;
  args?: readonly string[];
}): Launched {
  const main = join(productRoot, 'apps/uar/dist/main.js');
  const child = spawn(
    process.execPath,
    ['--no-turbo-inline-js-wasm-calls', main, 'up', '--json', ...(options.args ?? [])],
    {
      cwd: options.folder,
      env: { PATH: process.env['PATH'], UAR_PORT: '0', ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  let stdout = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(child, 'close').then(([code, signal]: (number | string | null)[]) => ({
    code: typeof code === 'number' ? code : null,
    signal: typeof signal === 'string' ? signal : null,
  }));
  const ready = new Promise<Endpoints>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      const line = stdout.split('\n').find((text) => text.startsWith('{"gateway"'));
      if (line !== undefined) resolve(Endpoints.parse(JSON.parse(line)));
    });
    void exited.then(({ code, signal }) =>
      reject(new Error(`the launcher ended (${String(code ?? signal)}):\n${output}`)),
    );
  });
  ready.catch(() => undefined);
  return { process: child, output: () => output + stdout, ready, exited };
}

/** Every live process whose environment names this data folder: the services, the proxy, their children. */
export function processesOn(folder: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder);
      } catch {
        return false;
      }
    });
}

/** Polls until it holds: for what sends no event, as a process of somebody else's that ends. */
export async function eventually(holds: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  const limit = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > limit) throw new Error('it did not come to hold');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
