import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mintDevToken } from '@uar/identity';

export const root = resolve(fileURLToPath(new URL('..', import.meta.url)));

/** Starts the product with the echo server as its only upstream; resolves when the first governed call has completed. */
export async function startEchoProduct(bus, { tools = 1, ...members } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'uar-bench-'));
  const config = join(home, 'uar.yaml');
  const server = {
    transport: 'stdio',
    command: process.execPath,
    args: [join(root, 'bench/echo-server.mjs'), 'stdio', String(tools)],
    trust_annotations: true,
    concurrency: 128,
  };
  writeFileSync(
    config,
    JSON.stringify({
      governance: { policies_dir: join(root, 'deploy/policies') },
      mcp: { servers: { bench: server } },
      ...members,
    }),
  );
  const dataDir = join(home, 'data');
  const started = performance.now();
  const child = spawn(
    process.execPath,
    ['--no-turbo-inline-js-wasm-calls', join(root, 'apps/uar/dist/main.js'), 'up'],
    {
      cwd: home,
      env: {
        ...process.env,
        UAR_PORT: '0',
        UAR_BUS: bus,
        UAR_DATA_DIR: dataDir,
        UAR_CONFIG: config,
        UAR_LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const endpoints = await until(() => readJson(join(dataDir, 'endpoints.json')), child);
  const tokenOf = (sub) =>
    mintDevToken({
      secret: readFileSync(join(dataDir, 'keys/jwt.secret'), 'utf8').trim(),
      sub,
      name: sub,
      roles: ['admin', 'user'],
      groups: [],
      tenant: 'default',
      ttlSeconds: 300,
    });
  const token = tokenOf('bench');
  await until(async () => (await firstCall(endpoints.gateway, token)) || undefined, child);
  return {
    ...endpoints,
    token,
    tokenOf,
    dataDir,
    startMs: performance.now() - started,
    processes: () => processesOf(dataDir),
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGINT');
      await exited;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Starts the echo server by itself, over streamable HTTP, as a user would who governs nothing. */
export async function startDirectEcho(tools = 1) {
  const echo = spawn(process.execPath, [join(root, 'bench/echo-server.mjs'), 'http', String(tools)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(echo.stdout, 'data');
  return { url: line.toString().trim(), pid: echo.pid, stop: () => echo.kill() };
}

async function firstCall(gateway, token) {
  const response = await fetch(`${gateway}/api/tools/bench__echo/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"arguments":{"message":"first"}}',
  }).catch(() => undefined);
  return response?.status === 200;
}

function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

async function until(found, child) {
  for (const limit = Date.now() + 60_000; Date.now() < limit;) {
    if (child.exitCode !== null) throw new Error(`the product exited with ${child.exitCode}`);
    const value = await found();
    if (value !== undefined) return value;
    await new Promise((next) => setTimeout(next, 10));
  }
  throw new Error('the product did not come up');
}

/** Processes of this product by name: the service, `launcher`, `nats-server`, or `upstream`. */
function processesOf(dataDir) {
  const named = {};
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const mine =
        readFileSync(`/proc/${pid}/environ`, 'utf8').includes(dataDir) || command.includes(dataDir);
      if (mine || command.includes('bench/echo-server.mjs stdio')) named[nameOf(command)] = Number(pid);
    } catch {
      // Gone, or not ours to read.
    }
  }
  return named;
}

function nameOf(command) {
  const service = /apps\/([a-z-]+)\/dist\/main\.js/.exec(command)?.[1];
  if (service === 'uar') return 'launcher';
  if (service !== undefined) return service;
  if (command.includes('nats-server')) return 'nats-server';
  return command.includes('echo-server') ? 'upstream' : 'other';
}
