import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectNats } from '@uar/bus';
import { readLedgerStatus } from '@uar/contracts';
import { natsMissing, startNatsServer, type NatsServer } from '@uar/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProcessSettings } from './environment.js';
import { openService } from './open-service.js';
import type { Readiness, ServiceDefinition } from './service.js';

/** The ledger's status exchange without Nest: what matters here is the process around a service. */
const definition: ServiceDefinition = {
  name: 'approval-service',
  start: async ({ bus }) => {
    bus.answer(readLedgerStatus, () => ({ writable: true }));
    await bus.flush();
    const readiness = (): Promise<Readiness> =>
      Promise.resolve({ ready: bus.state() === 'connected', problems: [bus.state()] });
    return { name: 'approval-service', readiness, stop: () => bus.drain() };
  },
};

describe.skipIf(natsMissing('service processes'))('a service process', () => {
  let server: NatsServer;
  let folder: string;
  const environment = () => ({
    NATS_URL: server.url,
    UAR_NATS_PASSWORD_FILE: join(folder, 'password'),
    UAR_PROBE_PORT: '0',
    UAR_DATA_DIR: folder,
    UAR_LOG_LEVEL: 'silent',
  });

  beforeAll(async () => {
    server = await startNatsServer();
    folder = mkdtempSync(join(tmpdir(), 'uar-service-'));
    writeFileSync(join(folder, 'password'), `${server.passwords['approval-service']}\n`, { mode: 0o600 });
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await server.stop();
  });

  it('connects, starts, tells its probes, and is not ready any more once it stops', async () => {
    const opened = await openService({ definition, env: environment(), cwd: folder });
    if (opened.kind === 'bad') throw new Error(JSON.stringify(opened.problems));
    const probe = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${opened.probePort}${path}`);
      return [response.status, await response.json()];
    };
    expect(await probe('/healthz')).toEqual([200, { status: 'ok' }]);
    expect(await probe('/readyz')).toEqual([200, { ready: true, problems: ['connected'] }]);
    expect(await probe('/metrics')).toEqual([404, {}]);
    const { url, passwords } = server;
    const gateway = await connectNats({
      url,
      service: 'gateway',
      user: 'gateway',
      password: passwords.gateway,
    });
    expect(await gateway.ask(readLedgerStatus, {})).toMatchObject({ kind: 'answered' });
    const stopped = opened.stop();
    expect(await probe('/readyz')).toEqual([503, { ready: false, problems: ['not running'] }]);
    await stopped;
    await expect(probe('/healthz')).rejects.toThrow();
    expect(await gateway.ask(readLedgerStatus, {})).toMatchObject({ fault: 'no_responders' });
    await gateway.close();
  });

  it('closes bus and probes when the service cannot start', async () => {
    let closed: (() => string) | undefined;
    const broken: ServiceDefinition = {
      name: 'approval-service',
      start: ({ bus }) => {
        closed = () => bus.state();
        return Promise.reject(new Error('no ledger'));
      },
    };
    await expect(openService({ definition: broken, env: environment(), cwd: folder })).rejects.toThrow(
      'no ledger',
    );
    expect(closed?.()).toBe('closed');
  });

  it('lists every problem of configuration and environment at once', async () => {
    const env = { UAR_PORT: 'x', UAR_PROBE_PORT: '70000', UAR_NATS_PASSWORD_FILE: join(folder, 'none') };
    const opened = await openService({ definition, env, cwd: folder });
    const paths = opened.kind === 'bad' ? opened.problems.map(({ path }) => path) : [];
    expect(paths).toEqual(['UAR_PORT', 'NATS_URL', 'UAR_NATS_PASSWORD_FILE', 'UAR_PROBE_PORT']);
  });
});

describe('settings of a process', () => {
  it('take the name of the service as user, and empty values as unset', () => {
    const env = { NATS_URL: 'nats://h:1', UAR_NATS_USER: '', UAR_PROBE_PORT: '' };
    const read = readProcessSettings('gateway', env);
    expect(read).toMatchObject({ settings: { natsUser: 'gateway', probePort: undefined } });
  });
});
