import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sourceHooks } from '@uar/threads';

export interface ForkedSource {
  /** The next IPC message; rejects when the process exits before. */
  message(): Promise<unknown>;
  kill(signal: NodeJS.Signals): void;
  /** Closes the IPC channel. */
  disconnect(): void;
  /** Resolves when it has exited. */
  readonly exit: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** What it has said on stderr so far. */
  stderr(): string;
}

/** Runs a TypeScript file of the repository as a Node process of its own, from sources, with an IPC channel. */
export function forkSource(file: URL, env: Readonly<Record<string, string>>): ForkedSource {
  const child = fork(fileURLToPath(file), {
    execArgv: [`--import=${sourceHooks.href}`],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const said: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => said.push(text));
  return {
    message: () => nextMessage(child, () => said.join('')),
    kill: (signal) => void child.kill(signal),
    disconnect: () => child.disconnect(),
    exit: exitOf(child),
    stderr: () => said.join(''),
  };
}

async function nextMessage(child: ChildProcess, stderr: () => string): Promise<unknown> {
  const gone = once(child, 'exit').then(() => {
    throw new Error(`the process ended without a message:\n${stderr()}`);
  });
  const [message] = await Promise.race([once(child, 'message'), gone]);
  return message;
}

/** Not the event `close`: Node does not send it once this end has closed the IPC channel. */
async function exitOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const drained = child.stderr === null ? undefined : once(child.stderr, 'close');
  await Promise.all([once(child, 'exit'), drained]);
  return { code: child.exitCode, signal: child.signalCode };
}
