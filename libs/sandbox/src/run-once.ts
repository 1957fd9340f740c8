import type { Readable } from 'node:stream';
import { endedWithin, startGroup } from './process-group.js';

export interface RunOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to stdin, which is closed then. */
  readonly input?: string;
  readonly timeoutMs?: number;
  /** Longest stdout and longest stderr. */
  readonly maxOutputBytes?: number;
}

export interface RunResult {
  /** Null: did not start, or was ended by a signal (ours, when there is a `problem`). */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly problem?: 'not_started' | 'timed_out' | 'too_much_output';
}

const defaultTimeoutMs = 60_000;
const defaultOutputBytes = 16 * 1024 * 1024;

/** Runs a program to its end and leaves nothing of it behind. */
export async function runOnce(options: RunOptions): Promise<RunResult> {
  const started = await startGroup({ ...options, stdio: ['pipe', 'pipe', 'pipe'], owner: 'run-once' });
  if (started.kind === 'not_started')
    return { code: null, stdout: '', stderr: started.message, problem: 'not_started' };
  const { leader } = started;
  const { stdin, stdout, stderr } = leader.process;
  let problem: RunResult['problem'];
  const end = (cause: RunResult['problem']): void => {
    problem ??= cause;
    leader.signalGroup('SIGKILL');
  };
  const collected = [stdout, stderr].map((stream) =>
    collect(stream, options.maxOutputBytes ?? defaultOutputBytes, () => end('too_much_output')),
  );
  stdin?.on('error', () => undefined).end(options.input ?? '');
  if (!(await endedWithin(leader, options.timeoutMs ?? defaultTimeoutMs))) end('timed_out');
  const exit = await leader.ended;
  const [out = '', err = ''] = await Promise.all(collected);
  return { code: exit.code, stdout: out, stderr: err, ...(problem === undefined ? {} : { problem }) };
}

async function collect(stream: Readable | null, maxBytes: number, onOverflow: () => void): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await new Promise<void>((resolve) => {
    stream?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else onOverflow();
    });
    stream?.once('error', () => resolve()).once('close', () => resolve());
    if (stream === null) resolve();
  });
  return Buffer.concat(chunks).toString('utf8');
}
