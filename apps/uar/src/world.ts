import type { Environment } from '@uar/config';

/** What a command may touch besides files and sockets. */
export interface World {
  readonly env: Environment;
  readonly cwd: string;
  out(text: string): void;
  err(text: string): void;
}

/** Exit codes of every command (API.md 10). */
export const exit = { ok: 0, failed: 1, usage: 2, unreachable: 3 } as const;
export type ExitCode = (typeof exit)[keyof typeof exit];

/** `ENOENT` and the like, for what the file system refuses. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
}

/** Ends a command with a line on stderr; the program's edge turns it into the exit code. */
export class CommandFailure extends Error {
  constructor(
    readonly exitCode: ExitCode,
    message: string,
  ) {
    super(message);
  }
}
