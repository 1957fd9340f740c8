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

export function signalPostgres(data: string, name: NodeJS.Signals): void {
  for (const pid of postgresProcesses(data)) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended by itself in between.
    }
  }
}

export async function untilPostgresEnded(data: string): Promise<void> {
  const until = Date.now() + 10_000;
  while (postgresProcesses(data).length > 0) {
    if (Date.now() > until) throw new Error('Postgres does not end');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
