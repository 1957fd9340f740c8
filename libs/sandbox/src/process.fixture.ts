import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { launch, type Child, type LaunchOptions } from './launch.js';

export const shellEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin' };

/** A live process: no zombie, which keeps its /proc entry until its parent looks. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return existsSync(`/proc/${pid}/exe`);
}

/** Settles when the process is gone: looks every few ms, because nobody tells a stranger about an exit. */
export async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}

export async function firstLine(stream: Readable): Promise<string> {
  const lines = createInterface({ input: stream });
  return await new Promise((resolve) => lines.once('line', resolve));
}

export async function launched(options: Partial<LaunchOptions> & { command: string }): Promise<Child> {
  const result = await launch({
    args: [],
    environment: { ambient: shellEnvironment, configured: {} },
    owner: 'sandbox spec',
    ...options,
  });
  if (result.kind === 'failed') throw new Error(result.message);
  return result.child;
}

export const shell = async (script: string, options: Partial<LaunchOptions> = {}): Promise<Child> =>
  await launched({ command: '/bin/sh', args: ['-c', script], ...options });
