import type { Readable, Writable } from 'node:stream';
import { childEnvironment, type ChildEnvironment } from './environment.js';
import { endedWithin, startGroup, type Exit, type GroupLeader } from './process-group.js';
import { ByteRing } from './ring.js';

export interface LaunchOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly environment: ChildEnvironment;
  /** Whose children these are across restarts, e.g. the path of the data directory (see `sweepOrphans`). */
  readonly owner: string;
  /** How much of the end of stderr is kept. */
  readonly stderrRingBytes?: number;
  /** Sees stderr as it comes; it is drained with or without a listener. */
  readonly onStderr?: (chunk: Buffer) => void;
}

/** A foreign program with pipes, without our environment, in a process group of its own. */
export interface Child {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Settles when the program has exited and nothing that it started is left. Never rejects. */
  readonly exited: Promise<Exit>;
  /** The end of what the program wrote to stderr. */
  stderrTail(): string;
  stderrBytes(): number;
  /** End of stdin, then SIGTERM, then SIGKILL for the group and all it started; the first two share `graceMs`. */
  stop(options: { readonly graceMs: number }): Promise<Exit>;
}

export type Launched =
  | { readonly kind: 'launched'; readonly child: Child }
  | { readonly kind: 'failed'; readonly message: string };

const defaultRingBytes = 16 * 1024;

export async function launch(options: LaunchOptions): Promise<Launched> {
  const started = await startGroup({
    command: options.command,
    args: options.args,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: childEnvironment(options.environment),
    stdio: ['pipe', 'pipe', 'pipe'],
    owner: options.owner,
  });
  if (started.kind === 'not_started') return { kind: 'failed', message: started.message };
  return { kind: 'launched', child: child(started.leader, options) };
}

function child(leader: GroupLeader, options: LaunchOptions): Child {
  const { stdin, stdout, stderr } = leader.process;
  if (stdin === null || stdout === null || stderr === null) throw new Error('a launched child has no pipes');
  const ring = new ByteRing(options.stderrRingBytes ?? defaultRingBytes);
  stderr.on('data', (chunk: Buffer) => {
    ring.write(chunk);
    options.onStderr?.(chunk);
  });
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
  let stopping: Promise<Exit> | undefined;
  return {
    pid: leader.pid,
    stdin,
    stdout,
    exited: leader.ended,
    stderrTail: () => ring.read().toString('utf8'),
    stderrBytes: () => ring.total,
    stop: ({ graceMs }) => (stopping ??= stop(leader, graceMs)),
  };
}

async function stop(leader: GroupLeader, graceMs: number): Promise<Exit> {
  leader.process.stdin?.end();
  if (await endedWithin(leader, graceMs / 2)) return await leader.ended;
  leader.signalGroup('SIGTERM');
  if (await endedWithin(leader, graceMs / 2)) return await leader.ended;
  leader.signalGroup('SIGKILL');
  return await leader.ended;
}
