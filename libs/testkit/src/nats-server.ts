import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { natsServerConfig, newInstanceId } from '@uar/bus';
import type { ServiceName } from '@uar/contracts';

export interface NatsServer {
  readonly url: string;
  readonly passwords: Readonly<Record<ServiceName, string>>;
  /** SIGTERM; resolves when it has exited. */
  stop(): Promise<void>;
  /** SIGKILL; resolves when it has exited. */
  kill(): Promise<void>;
}

export interface NatsServerStart {
  readonly passwords?: Readonly<Record<ServiceName, string>>;
  /** Default: a free one. */
  readonly port?: number;
  /** nats.conf instead of the one from the topology. */
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly maxPayloadBytes?: number;
}

function executable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** `UAR_NATS_SERVER`, else the first nats-server in PATH and the usual places. */
export function findNatsServer(): string | undefined {
  const named = process.env['UAR_NATS_SERVER'];
  if (named !== undefined && named !== '') return executable(named) ? named : undefined;
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin'];
  return folders.map((folder) => join(folder, 'nats-server')).find(executable);
}

export function newPasswords(): Record<ServiceName, string> {
  const password = (): string => `pw${newInstanceId()}${newInstanceId()}`;
  return {
    gateway: password(),
    'catalog-registry': password(),
    'governance-decider': password(),
    'approval-service': password(),
    'mcp-connector': password(),
    'native-tool-host': password(),
  };
}

/** A real nats-server on loopback with the users and allow-lists of the topology. */
export async function startNatsServer(start: NatsServerStart = {}): Promise<NatsServer> {
  const binary = findNatsServer();
  if (binary === undefined) throw new Error('no nats-server found: install one or set UAR_NATS_SERVER');
  const passwords = start.passwords ?? newPasswords();
  const folder = mkdtempSync(join(tmpdir(), 'uar-nats-'));
  const file = join(folder, 'nats.conf');
  const maxPayloadBytes = start.maxPayloadBytes ?? 4 * 1024 * 1024;
  const port = start.port ?? -1;
  const config = start.config ?? natsServerConfig({ host: '127.0.0.1', port, passwords, maxPayloadBytes });
  writeFileSync(file, config, { mode: 0o600 });
  const child = spawn(binary, ['-c', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', ...start.env },
  });
  const exited = once(child, 'exit').finally(() => rmSync(folder, { recursive: true, force: true }));
  const orphan = (): boolean => child.kill('SIGKILL');
  process.once('exit', orphan);
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    child.kill(signal);
    await exited;
    process.off('exit', orphan);
  };
  const listening = await listeningPort(child);
  return {
    url: `nats://127.0.0.1:${listening}`,
    passwords,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

async function listeningPort(child: ChildProcess): Promise<number> {
  if (child.stderr === null) throw new Error('nats-server has no stderr');
  const said: string[] = [];
  let port: number | undefined;
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    const found = /Listening for client connections on \S+:(\d+)$/.exec(line)?.[1];
    if (found !== undefined) port = Number(found);
    if (port === undefined || !line.endsWith('Server is ready')) continue;
    child.stderr.resume();
    return port;
  }
  throw new Error(`nats-server did not start:\n${said.join('\n')}`);
}
