import { createInterface } from 'node:readline';
import { endedWithin, startGroup, type Exit } from './process-group.js';

export interface ServiceLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** The whole environment of the service. */
  readonly env: Readonly<Record<string, string>>;
  readonly owner: string;
  /** `inherit`: writes where we write. A function gets each line. */
  readonly output: 'inherit' | ((line: string, stream: 'stdout' | 'stderr') => void);
  /** Opens an IPC channel; each message from the service. */
  readonly onMessage?: (message: unknown) => void;
}

/** One of our own services as a process in a group of its own: Ctrl-C reaches the launcher alone, which then stops it. */
export interface ServiceProcess {
  readonly pid: number;
  /** Settles when the service has exited and nothing that it started is left. Never rejects. */
  readonly exited: Promise<Exit>;
  /** SIGTERM to the service alone, so that it stops its own in order; after `graceMs` SIGKILL to all it started. */
  stop(options: { readonly graceMs: number }): Promise<Exit>;
}

export type ServiceLaunched =
  | { readonly kind: 'launched'; readonly service: ServiceProcess }
  | { readonly kind: 'failed'; readonly message: string };

export async function launchService(options: ServiceLaunch): Promise<ServiceLaunched> {
  const output = options.output === 'inherit' ? 'inherit' : 'pipe';
  const started = await startGroup({
    command: options.command,
    args: options.args,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: options.env,
    stdio: ['ignore', output, output, ...(options.onMessage === undefined ? [] : (['ipc'] as const))],
    owner: options.owner,
  });
  if (started.kind === 'not_started') return { kind: 'failed', message: started.message };
  const { leader } = started;
  forwardLines(leader.process.stdout, 'stdout', options.output);
  forwardLines(leader.process.stderr, 'stderr', options.output);
  if (options.onMessage !== undefined) leader.process.on('message', options.onMessage);
  const stop = async (graceMs: number): Promise<Exit> => {
    leader.process.kill('SIGTERM');
    if (!(await endedWithin(leader, graceMs))) leader.signalGroup('SIGKILL');
    return await leader.ended;
  };
  let stopping: Promise<Exit> | undefined;
  const service: ServiceProcess = {
    pid: leader.pid,
    exited: leader.ended,
    stop: ({ graceMs }) => (stopping ??= stop(graceMs)),
  };
  return { kind: 'launched', service };
}

function forwardLines(
  stream: NodeJS.ReadableStream | null,
  name: 'stdout' | 'stderr',
  output: ServiceLaunch['output'],
): void {
  if (stream === null || output === 'inherit') return;
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => output(line, name));
}
