import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';

/**
 * Every child carries a marker in its environment, which its descendants inherit, also those that left its process
 * group with `setsid`. It says whose child it is: pid namespace, pid and start of the parent, owner, and the launch.
 * A descendant that clears its environment keeps no marker; only a pid namespace would hold such a one.
 */
export const markerVariable = 'UAR_CHILD_MARKER';

const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** Pids mean something only within one boot and one pid namespace. Empty where there is no /proc. */
function pidNamespace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return short(`${boot} ${readlinkSync('/proc/self/ns/pid')}`);
  } catch {
    return short('');
  }
}

/** PF_EXITING of the kernel, in the flags of a process (proc(5)). */
const exitingFlag = 4;

/**
 * Clock ticks between boot and the start of a process: tells a pid from its later reuse. `undefined`: no such process, or
 * one that ends or has ended, which stays in /proc until somebody waits for it, in some containers for ever.
 */
function startOf(pid: number | 'self'): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const behindName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(behindName[6]) & exitingFlag) === 0 ? behindName[19] : undefined;
  } catch {
    return undefined;
  }
}

const namespace = pidNamespace();

/** What the markers of all children of this very process begin with. */
export const ownMarkerPrefix = `${namespace}.${process.pid}.${startOf('self') ?? '0'}.`;

/** `owner`: whose children these are across restarts, e.g. the path of the data directory. */
export function newMarker(owner: string): string {
  return `${ownMarkerPrefix}${short(owner)}.${randomBytes(8).toString('hex')}`;
}

/** Kills every process that carries exactly this marker, until none is found. Returns how many were killed. */
export async function sweep(marker: string): Promise<number> {
  return await killMarked((found) => found === marker);
}

/** Kills what children of this owner left behind when their parent died without stopping them. */
export async function sweepOrphans(owner: string): Promise<number> {
  const ownerId = short(owner);
  return await killMarked((found) => {
    const [where, pid, start, whose] = found.split('.');
    return where === namespace && whose === ownerId && startOf(Number(pid)) !== start;
  });
}

/** A process may fork while the list is read, so the search is repeated; the bound ends a fork bomb's race with us. */
const searchRounds = 20;

async function killMarked(matches: (marker: string) => boolean): Promise<number> {
  let killed = 0;
  for (let round = 0; round < searchRounds; round += 1) {
    const pids = await markedProcesses(matches);
    for (const pid of pids) if (kill(pid)) killed += 1;
    if (pids.length === 0) return killed;
  }
  return killed;
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

async function markedProcesses(matches: (marker: string) => boolean): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.map(Number).filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const marker = await markerOf(pid);
      return marker !== undefined && matches(marker) ? pid : undefined;
    }),
  );
  return found.filter((pid) => pid !== undefined);
}

/** Unreadable (another user's), gone, and unmarked processes have none; a zombie's environment is empty. */
async function markerOf(pid: number): Promise<string | undefined> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
    const variable = environment.split('\0').find((entry) => entry.startsWith(`${markerVariable}=`));
    return variable?.slice(markerVariable.length + 1);
  } catch {
    return undefined;
  }
}
