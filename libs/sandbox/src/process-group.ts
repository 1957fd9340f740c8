import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { guardGroup, releaseGroup } from './guard.js';
import { markerVariable, newMarker, sweep } from './marker.js';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that leads a group of its own and dies with us, together with everything it started. */
export interface GroupLeader {
  readonly pid: number;
  readonly process: ChildProcess;
  /** Settles when the leader has exited and nothing that it started is left. */
  readonly ended: Promise<Exit>;
  /** Signals the whole group. False: there is no such group any more. */
  signalGroup(signal: NodeJS.Signals): boolean;
}

export interface GroupOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: NonNullable<SpawnOptions['stdio']>;
  /** Whose children these are across restarts, e.g. the path of the data directory (see `sweepOrphans`). */
  readonly owner: string;
}

export type Started =
  | { readonly kind: 'started'; readonly leader: GroupLeader }
  | { readonly kind: 'not_started'; readonly message: string };

export async function startGroup(options: GroupOptions): Promise<Started> {
  const marker = newMarker(options.owner);
  try {
    const child = spawn(options.command, [...options.args], {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: { ...options.env, [markerVariable]: marker },
      detached: true,
      stdio: options.stdio,
    });
    await new Promise((resolve, reject) =>
      child.once('spawn', () => resolve(undefined)).once('error', reject),
    );
    return { kind: 'started', leader: lead(child, marker) };
  } catch (error) {
    return { kind: 'not_started', message: startProblem(error) };
  }
}

/** The code alone: Node's message repeats the whole command line, which may hold expanded secrets. */
function startProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return `the process could not be started (${code})`;
}

function lead(child: ChildProcess, marker: string): GroupLeader {
  const pid = child.pid;
  if (pid === undefined) throw new Error('a spawned process has no pid');
  guardGroup(pid);
  child.on('error', () => undefined);
  const signalGroup = (signal: NodeJS.Signals): boolean => {
    try {
      return process.kill(-pid, signal);
    } catch {
      return false;
    }
  };
  const ended = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      signalGroup('SIGKILL');
      void sweep(marker).then(() => {
        releaseGroup(pid);
        resolve({ code, signal });
      });
    });
  });
  return { pid, process: child, ended, signalGroup };
}

/** True when the leader ended within that time. */
export async function endedWithin(leader: GroupLeader, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const ended = await Promise.race([leader.ended.then(() => true), late]);
  clearTimeout(timer);
  return ended;
}
