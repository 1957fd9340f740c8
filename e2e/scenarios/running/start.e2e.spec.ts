import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pidOf, type Product, repositoryDir, startProduct } from '@uar/testkit';
import { describe, expect } from 'vitest';
import { clientOf, eventually, toolListed } from '../../client.js';
import { keeps } from '../../keeps.js';
import { buses } from '../../on-both-buses.js';

/** The processes whose environment names this data folder. */
function processesOf(dataDir: string): { pid: number; command: string }[] {
  const script = `for p in $(grep -la "${dataDir}" /proc/[0-9]*/environ 2>/dev/null); do d=$(dirname $p); echo "$(basename $d) $(tr '\\0' ' ' < $d/cmdline)"; done`;
  const lines = execFileSync('sh', ['-c', script]).toString().split('\n').filter(Boolean);
  return lines.map((line) => ({ pid: Number.parseInt(line, 10), command: line }));
}

const processOf = (dataDir: string, service: string) =>
  processesOf(dataDir).find(({ command }) => command.includes(`apps/${service}/dist/main.js`));

/** A killed gateway serves again under the same URL. */
async function restartsGateway(product: Product): Promise<void> {
  const killed = pidOf(product, 'gateway');
  process.kill(killed, 'SIGKILL');
  await eventually(async () => {
    const pid = processOf(product.dataDir, 'gateway')?.pid;
    if (pid === undefined || pid === killed) return undefined;
    const answer = await clientOf(product)
      .get('/api/tools')
      .catch(() => undefined);
    return answer?.status === 200 || undefined;
  }, 60_000);
  expect(product.output()).toContain('gateway ended (signal SIGKILL)');
}

const services = [
  'gateway',
  'catalog-registry',
  'governance-decider',
  'approval-service',
  'mcp-connector',
  'native-tool-host',
];

describe('start', () => {
  keeps(
    [
      'start.one-process',
      'start.process-per-service',
      'start.endpoints',
      'start.stop',
      'tools.list',
      'probes.health',
    ],
    'the shipped example serves its sample upstreams, and SIGINT leaves nothing',
    async () => {
      for (const bus of buses) {
        const product = await startProduct({ bus, example: true });
        const client = clientOf(product);
        await toolListed(client, 'everything__echo');
        await toolListed(client, 'filesystem__read_text_file');
        const { body } = await client.execute('everything__echo', { message: 'hello' });
        expect(body).toMatchObject({ outcome: 'completed', effect: 'ran' });
        const own = services.filter((name) => processOf(product.dataDir, name) !== undefined);
        expect(own).toEqual(bus === 'nats' ? services : []);
        expect((await fetch(`${product.gateway}/healthz`)).status).toBe(200);
        expect((await fetch(`${product.management}/readyz`)).status).toBe(200);
        expect(await fetch(`${product.management}/metrics`).then((answer) => answer.text())).toContain(
          'uar_',
        );
        expect((await client.get('/metrics')).status).toBe(404);
        if (bus === 'nats') await restartsGateway(product);
        expect(existsSync(join(product.dataDir, 'run/gateway.password'))).toBe(bus === 'nats');
        expect(await product.stop({ keepData: true })).toBe(0);
        for (const left of ['endpoints.json', 'run'])
          expect(existsSync(join(product.dataDir, left)), left).toBe(false);
        expect(processesOf(product.dataDir)).toEqual([]);
        expect(product.output()).not.toContain('was killed');
        await product.stop();
      }
    },
    240_000,
  );

  keeps(
    ['start.stop'],
    'whatever signal `npm start` is sent, it ends and leaves nothing',
    async () => {
      const inOne = (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const).map((signal) => ({
        signal,
        bus: 'inprocess',
      }));
      const each = [
        ...inOne,
        ...(buses.includes('nats') ? [{ signal: 'SIGKILL', bus: 'nats' } as const] : []),
      ];
      for (const { signal, bus } of each) {
        const dataDir = mkdtempSync(join(tmpdir(), 'uar-start-'));
        // In the background of a script SIGINT is ignored, and a shell passes that on.
        const npm = spawn('sh', ['-c', "trap '' INT; exec npm start"], {
          cwd: repositoryDir,
          env: { ...process.env, UAR_PORT: '0', UAR_DATA_DIR: dataDir, UAR_BUS: bus },
          stdio: 'ignore',
        });
        const ended = once(npm, 'exit');
        await eventually(async () => existsSync(join(dataDir, 'endpoints.json')) || undefined, 60_000);
        npm.kill(signal);
        await ended;
        await eventually(async () => processesOf(dataDir).length === 0 || undefined, 30_000);
        expect(existsSync(join(dataDir, 'endpoints.json'))).toBe(false);
        rmSync(dataDir, { recursive: true });
      }
    },
    240_000,
  );

  keeps(['start.bad-config'], 'a bad configuration names every problem and opens nothing', async () => {
    const started = startProduct({
      bus: 'inprocess',
      config: {
        server: { prot: 1 },
        profile: 'maximal',
        governance: { policies_dir: 'gone' },
        mcp: { servers: { native: { transport: 'stdio' } } },
      },
    });
    const message = await started.then(
      async (product) => {
        await product.stop();
        return 'it started';
      },
      (error: unknown) => String(error),
    );
    expect(message).toContain('exited with 2');
    for (const problem of ['server.prot', 'profile', 'native', 'governance.policies_dir'])
      expect(message).toContain(problem);
  });
});
