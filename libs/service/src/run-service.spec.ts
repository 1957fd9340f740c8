import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectNats, type Bus } from '@uar/bus';
import { CallId, readKeptCall, readLedgerStatus, TenantId } from '@uar/contracts';
import { forkSource, natsMissing, startNatsServer, type ForkedSource, type NatsServer } from '@uar/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const kept = { tenant: TenantId.parse('default'), call_id: CallId.parse(`call_${'0'.repeat(32)}`) };

// The first fork compiles the sources it needs.
const timeout = 180_000;

describe.skipIf(natsMissing('main.ts of a service'))('main.ts of a service', { timeout }, () => {
  let server: NatsServer;
  let folder: string;
  let gateway: Bus;

  const run = (env: Record<string, string> = {}): ForkedSource =>
    forkSource(new URL('./run-service.fixture.ts', import.meta.url), {
      NATS_URL: server.url,
      UAR_NATS_PASSWORD_FILE: join(folder, 'password'),
      UAR_DATA_DIR: folder,
      ...env,
    });

  beforeAll(async () => {
    server = await startNatsServer();
    folder = mkdtempSync(join(tmpdir(), 'uar-run-service-'));
    writeFileSync(join(folder, 'password'), `${server.passwords['approval-service']}\n`, { mode: 0o600 });
    const { url, passwords } = server;
    gateway = await connectNats({ url, service: 'gateway', user: 'gateway', password: passwords.gateway });
  });
  afterAll(async () => {
    await gateway.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('says that it is ready, ends on SIGTERM after its running handlers, and exits with 0', async () => {
    const child = run();
    expect(await child.message()).toEqual({ kind: 'ready' });
    expect(await gateway.ask(readLedgerStatus, {})).toMatchObject({ kind: 'answered' });
    const running = gateway.ask(readKeptCall, kept);
    expect(await child.message()).toEqual({ kind: 'running' });
    child.kill('SIGTERM');
    expect(await running).toMatchObject({ kind: 'answered' });
    expect(await child.exit).toEqual({ code: 0, signal: null });
    for (const said of ['ready', 'stopping', 'stopped']) expect(child.stderr()).toContain(`"msg":"${said}"`);
  });

  it('ends when the launcher that holds its IPC channel is gone', async () => {
    const child = run();
    await child.message();
    child.disconnect();
    expect(await child.exit).toEqual({ code: 0, signal: null });
  });

  it('exits with 2 and lists every problem of its configuration', async () => {
    const child = run({ NATS_URL: '', UAR_PORT: 'x', UAR_PROBE_PORT: 'y' });
    expect(await child.exit).toEqual({ code: 2, signal: null });
    for (const name of ['NATS_URL', 'UAR_PORT', 'UAR_PROBE_PORT']) expect(child.stderr()).toContain(name);
  });

  it('exits with 1 when it cannot start, or may not connect', async () => {
    const planted = run({ PLANTED_PROBLEM: 'no ledger here' });
    expect(await planted.exit).toEqual({ code: 1, signal: null });
    expect(planted.stderr()).toContain('no ledger here');
    writeFileSync(join(folder, 'wrong'), 'wrong-password\n');
    const refused = run({ UAR_NATS_PASSWORD_FILE: join(folder, 'wrong') });
    expect(await refused.exit).toEqual({ code: 1, signal: null });
  });
});
