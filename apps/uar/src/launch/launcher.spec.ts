import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEndpoints } from '../client/endpoints-file.js';
import { runCommandLine } from '../program.js';
import { eventually, launchUp, processesOn, type Launched } from './launcher.fixture.js';

const slow = 180_000;
let folder: string;
let dataDir: string;
let launched: Launched[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-launch-'));
  dataDir = join(folder, 'data');
  launched = [];
});
afterEach(async () => {
  for (const { process } of launched) process.kill('SIGKILL');
  await Promise.all(launched.map(({ exited }) => exited));
  await eventually(() => processesOn(dataDir).length === 0);
  rmSync(folder, { recursive: true, force: true });
}, slow);

function up(env: Record<string, string> = {}, yaml = 'profile: minimal\n'): Launched {
  const file = join(folder, 'uar.yaml');
  writeFileSync(file, yaml);
  const one = launchUp({
    folder,
    env: { UAR_CONFIG: file, UAR_DATA_DIR: dataDir, UAR_BUS: 'inprocess', UAR_LOG_LEVEL: 'error', ...env },
  });
  launched.push(one);
  return one;
}

async function uar(argv: readonly string[]) {
  let out = '';
  let err = '';
  const env = { UAR_DATA_DIR: dataDir };
  const code = await runCommandLine(argv, {
    env,
    cwd: folder,
    out: (text) => (out += text),
    err: (text) => (err += text),
  });
  return { code, out, err };
}

describe('uar up', () => {
  it(
    'serves in one process, refuses a second launcher, and leaves nothing behind when it ends',
    async () => {
      const first = up();
      const endpoints = await first.ready;
      expect(endpoints.pid).toBe(first.process.pid);
      expect(readEndpoints(dataDir)).toEqual(endpoints);
      expect(await uar(['tools', '--json'])).toMatchObject({ code: 0 });
      expect(await uar(['servers'])).toMatchObject({ code: 0 });

      const second = up();
      expect(await second.exited).toEqual({ code: 1, signal: null });
      expect(second.output()).toContain(`in use by the launcher with pid ${first.process.pid}`);
      expect(readEndpoints(dataDir)).toEqual(endpoints);

      first.process.kill('SIGINT');
      expect(await first.exited).toEqual({ code: 0, signal: null });
      expect(readEndpoints(dataDir)).toBeUndefined();
      expect(processesOn(dataDir)).toEqual([]);
      expect((await uar(['tools'])).code).toBe(3);
      expect((await uar(['receipts', 'verify'])).code).toBe(0);
    },
    slow,
  );

  it(
    'stops in order when it is told to before it is ready',
    async () => {
      const launcher = up();
      await eventually(() => existsSync(join(dataDir, 'launcher.lock')));
      launcher.process.kill('SIGTERM');
      expect(await launcher.exited).toEqual({ code: 0, signal: null });
      expect(existsSync(join(dataDir, 'launcher.lock'))).toBe(false);
      expect(readEndpoints(dataDir)).toBeUndefined();
    },
    slow,
  );

  it(
    'lists everything that is wrong and creates nothing',
    async () => {
      const launcher = up(
        { UAR_BUS: 'kafka', UAR_PROXY_LISTEN: '0.0.0.0:1', UAR_MANAGEMENT_PORT: 'x' },
        'profil: minimal\nserver: { host: [] }\ngovernance: { policies_dir: gone }\n',
      );
      expect(await launcher.exited).toEqual({ code: 2, signal: null });
      const places = ['profil', 'server.host', 'governance.policies_dir', 'UAR_BUS', 'UAR_PROXY_LISTEN'];
      for (const place of [...places, 'UAR_MANAGEMENT_PORT']) expect(launcher.output()).toContain(place);
      expect(existsSync(dataDir)).toBe(false);
    },
    slow,
  );

  it(
    'names a port that is in use',
    async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const launcher = up({
        UAR_PORT: String(port),
        UAR_MANAGEMENT_PORT: '0',
        UAR_PROXY_LISTEN: '127.0.0.1:0',
      });
      expect(await launcher.exited).toEqual({ code: 1, signal: null });
      expect(launcher.output()).toContain(`port ${port} on 127.0.0.1 is in use`);
      server.close();
    },
    slow,
  );

  it(
    'does not start on NATS where there is none',
    async () => {
      const launcher = up({ UAR_BUS: 'nats', UAR_NATS_SERVER: join(folder, 'absent') });
      expect(await launcher.exited).toEqual({ code: 2, signal: null });
      expect(launcher.output()).toContain('UAR_NATS_SERVER');
    },
    slow,
  );
});
