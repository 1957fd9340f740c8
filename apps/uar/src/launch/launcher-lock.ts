import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const Holder = z.strictObject({ pid: z.number().int().positive(), started: z.string() });
type Holder = z.output<typeof Holder>;

export type LauncherLock =
  { readonly kind: 'taken'; release(): void } | { readonly kind: 'held'; readonly pid: number };

/**
 * One launcher per data folder: the file holds pid and start of its process, so that a pid that was given to another
 * process counts as gone. It keeps people from starting twice; what must never happen twice has a lock of the ledger's.
 */
export function takeLauncherLock(dataDir: string): LauncherLock {
  const file = join(dataDir, 'launcher.lock');
  const own: Holder = { pid: process.pid, started: startOf(process.pid) ?? '' };
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${JSON.stringify(own)}\n`, { mode: 0o600, flag: 'wx' });
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      if (linked(draft, file)) return { kind: 'taken', release: () => release(file, own) };
      const holder = read(file);
      if (holder !== undefined && isAlive(holder)) return { kind: 'held', pid: holder.pid };
      discard(file, holder);
    }
    return { kind: 'held', pid: read(file)?.pid ?? 0 };
  } finally {
    rmSync(draft, { force: true });
  }
}

function linked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Moves a stale lock away. Who moved a fresh one instead, taken in between by another, puts it back. */
function discard(file: string, stale: Holder | undefined): void {
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  const moved = read(aside);
  if (moved !== undefined && moved.pid !== stale?.pid) linked(aside, file);
  rmSync(aside, { force: true });
}

function release(file: string, own: Holder): void {
  const holder = read(file);
  if (holder?.pid === own.pid && holder.started === own.started) rmSync(file, { force: true });
}

function read(file: string): Holder | undefined {
  try {
    const parsed = Holder.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const now = startOf(pid);
  return now === undefined || started === '' || now === started;
}

/** Clock ticks from boot to the start of a process. Undefined where there is no /proc. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
