import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { repositoryDir } from './product.js';

const program = join(repositoryDir, 'e2e', 'fixtures', 'stateless-upstream.mjs');
const Listening = z.object({ url: z.string() });

/** Environment of the server: `legacy` serves revisions with sessions too, `countFile` counts what ran. */
export interface StatelessServerOptions {
  readonly legacy?: 'serve' | 'reject';
  readonly countFile?: string;
}

/** The configuration of one over stdio. */
export function statelessStdio(server: StatelessServerOptions = {}) {
  return {
    transport: 'stdio' as const,
    command: process.execPath,
    args: [program],
    env: environmentOf(server),
  };
}

/** A server of the official SDK that speaks MCP 2026-07-28 over HTTP, in a process of its own (e2e/fixtures/stateless-upstream.mjs). */
export class StatelessServer {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(server: StatelessServerOptions = {}): Promise<StatelessServer> {
    const env = { ...process.env, ...environmentOf(server) };
    const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [], env });
    const [message]: unknown[] = await once(child, 'message');
    return new StatelessServer(child, Listening.parse(message).url);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill();
    await ended;
  }
}

function environmentOf({ legacy = 'reject', countFile }: StatelessServerOptions): Record<string, string> {
  return { LEGACY: legacy, ...(countFile !== undefined && { COUNT_FILE: countFile }) };
}
