import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { mintDevToken } from '@uar/identity';
import { readSecretFile } from '@uar/keys';
import { stringify } from 'yaml';
import { sharedPostgresDatabase } from './postgres-places.js';
import type { PostgresDatabase } from './postgres-server.js';

export const repositoryDir = resolve(fileURLToPath(new URL('../../..', import.meta.url)));

export interface ProductOptions {
  readonly bus: 'inprocess' | 'nats';
  /** Start with the shipped example configuration instead of `config`. */
  readonly example?: boolean;
  /** Members of uar.yaml. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** A data folder of an earlier run, to start again on it. */
  readonly dataDir?: string;
  /** Root of the build to run; this repository by default. */
  readonly root?: string;
  /**
   * `postgres`: a new database of a server that this process shares. Default: what the earlier run on `dataDir` had, else a
   * SQLite file.
   */
  readonly ledger?: 'sqlite' | 'postgres' | PostgresDatabase;
}

export interface TokenOptions {
  readonly sub?: string;
  readonly roles?: readonly string[];
  readonly tenant?: string;
  readonly ttlSeconds?: number;
  /** The agent that acts for `sub`. */
  readonly agent?: string;
  readonly capabilities?: readonly string[];
  readonly scopes?: readonly string[];
}

/** A running product of its own: own data folder, own copy of the policies, free ports. */
export interface Product {
  readonly gateway: string;
  readonly proxy: string;
  readonly management: string;
  readonly pid: number;
  readonly dataDir: string;
  readonly policiesDir: string;
  readonly configFile: string;
  /** What names its database to whoever reads its configuration; empty where the ledger is a file. */
  readonly ledgerEnvironment: Readonly<Record<string, string>>;
  token(options?: TokenOptions): string;
  /** Everything it wrote to stdout and stderr. */
  output(): string;
  /** Sends SIGINT and waits; resolves with the exit code. Keeps the data folder when asked. */
  stop(options?: { keepData?: boolean }): Promise<number | null>;
}

const startLimitMs = 90_000;

/** Builds nothing: `npm run e2e` has built it. Throws with the product's output when it does not come up. */
export async function startProduct(options: ProductOptions): Promise<Product> {
  const home = mkdtempSync(join(tmpdir(), 'uar-e2e-'));
  const dataDir = options.dataDir ?? join(home, 'data');
  const policiesDir = join(home, 'policies');
  cpSync(join(repositoryDir, 'deploy/policies'), policiesDir, { recursive: true });
  const configFile = join(home, 'uar.yaml');
  if (options.example !== true) {
    writeFileSync(configFile, stringify({ governance: { policies_dir: policiesDir }, ...options.config }));
  }
  const ledgerEnvironment = await ledgerEnvironmentOf(options, { home, dataDir });
  const child = spawn(
    process.execPath,
    ['--no-turbo-inline-js-wasm-calls', join(options.root ?? repositoryDir, 'apps/uar/dist/main.js'), 'up'],
    {
      cwd: home,
      env: {
        ...process.env,
        UAR_PORT: '0',
        UAR_BUS: options.bus,
        UAR_DATA_DIR: dataDir,
        ...ledgerEnvironment,
        ...(options.example !== true && { UAR_CONFIG: configFile }),
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const endpoints = await waitForEndpoints(child, dataDir, () => output);
  return {
    ...endpoints,
    dataDir,
    policiesDir,
    configFile,
    ledgerEnvironment,
    token: (wanted = {}) =>
      mintDevToken({
        secret: readSecretFile(join(dataDir, 'keys/jwt.secret')),
        sub: wanted.sub ?? 'dev',
        name: wanted.sub ?? 'dev',
        roles: [...(wanted.roles ?? ['admin', 'user'])],
        groups: [],
        tenant: wanted.tenant ?? 'default',
        ttlSeconds: wanted.ttlSeconds ?? 300,
        ...(wanted.agent === undefined ? {} : { agent: wanted.agent }),
        ...(wanted.capabilities === undefined ? {} : { capabilities: wanted.capabilities }),
        ...(wanted.scopes === undefined ? {} : { scopes: wanted.scopes }),
      }),
    output: () => output,
    stop: async ({ keepData = false } = {}) => {
      const code = await stopChild(child);
      if (!keepData) rmSync(home, { recursive: true, force: true });
      return code;
    },
  };
}

/** By data folder: a product that is started again on it goes on with its database. */
const databases = new Map<string, PostgresDatabase>();

async function ledgerEnvironmentOf(
  { ledger }: ProductOptions,
  { home, dataDir }: { readonly home: string; readonly dataDir: string },
): Promise<Record<string, string>> {
  const database = await databaseFor(dataDir, ledger);
  if (database === undefined) return {};
  databases.set(dataDir, database);
  const file = join(home, 'postgres.password');
  writeFileSync(file, database.password, { mode: 0o600 });
  return { UAR_LEDGER_URL: database.url, UAR_LEDGER_PASSWORD_FILE: file };
}

async function databaseFor(
  dataDir: string,
  ledger: ProductOptions['ledger'],
): Promise<PostgresDatabase | undefined> {
  switch (ledger) {
    case 'sqlite':
      return undefined;
    case 'postgres':
      return databases.get(dataDir) ?? (await sharedPostgresDatabase());
    case undefined:
      return databases.get(dataDir);
  }
  return ledger;
}

interface Endpoints {
  readonly gateway: string;
  readonly proxy: string;
  readonly management: string;
  readonly pid: number;
}

async function waitForEndpoints(
  child: ChildProcess,
  dataDir: string,
  output: () => string,
): Promise<Endpoints> {
  const file = join(dataDir, 'endpoints.json');
  const limit = Date.now() + startLimitMs;
  while (Date.now() < limit) {
    if (child.exitCode !== null) throw new Error(`the product exited with ${child.exitCode}:\n${output()}`);
    const endpoints = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Endpoints) : undefined;
    if (endpoints !== undefined && endpoints.pid === child.pid) return endpoints;
    await delay(50);
  }
  child.kill('SIGKILL');
  throw new Error(`the product did not come up within ${startLimitMs} ms:\n${output()}`);
}

async function stopChild(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit') as Promise<[number | null]>;
  child.kill('SIGINT');
  const [code] = await exited;
  return code;
}
