import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of the server with this data folder; the postmaster first. */
export function postgresProcesses(data: string): readonly number[] {
  const main = mainProcess(data);
  const live = liveProcesses();
  if (main === undefined || !live.some(({ pid }) => pid === main)) return [];
  return [main, ...live.flatMap(({ pid, parent }) => (parent === main ? [pid] : []))];
}

function liveProcesses(): readonly { readonly pid: number; readonly parent: number }[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'stat='], { encoding: 'utf8' });
  return rows.split('\n').flatMap((row) => {
    const [pid, parent, state] = row.trim().split(/\s+/);
    // What nobody has waited for yet is listed too.
    return state === undefined || state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent) }];
  });
}

function mainProcess(data: string): number | undefined {
  try {
    return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return undefined;
  }
}

/** Answers to whom. */
export function signalPostgres(data: string, name: NodeJS.Signals): readonly number[] {
  const pids = postgresProcesses(data);
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended by itself in between.
    }
  }
  return pids;
}

/** The memory that they share is free for another server only then. */
export async function untilEnded(pids: readonly number[]): Promise<void> {
  const until = Date.now() + 10_000;
  while (liveProcesses().some(({ pid }) => pids.includes(pid))) {
    if (Date.now() > until) throw new Error('Postgres does not end');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
