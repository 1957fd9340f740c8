import type { Bus } from '@uar/bus';
import { StoredRun, putRun, readRun, runChanged } from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deployment, value, type Deployment } from './running.fixture.js';

const run = StoredRun.parse({
  run_id: `run_${'1'.repeat(32)}`,
  tenant: 'acme',
  owner: {
    principal: {
      ...{ issuer: 'i', subject: 'ann', tenant: 'acme', kind: 'user', roles: [], groups: [], scopes: [] },
      ...{ mfa: false, claims: {}, expires_at: 1 },
    },
    channel: 'api',
  },
  ...{ status: 'active', scopes: {}, asks_always: false, created_at: 1, expires_at: 2 },
});
const keptUntil = Date.now() + 3_600_000;

withBothBuses('runs', (connect) => {
  let service: Deployment;
  let gateway: Bus;
  let heard: number[];

  beforeEach(async () => {
    service = deployment(connect);
    await service.start();
    gateway = await connect('gateway');
    heard = [];
    gateway.listen(runChanged, ({ revision }) => heard.push(revision));
    await gateway.flush();
  });
  afterEach(async () => {
    await gateway.close();
    await service.end();
  });

  it('are kept over a restart, and each change is announced, the opening not', async () => {
    const put = async (status: StoredRun['status'], if_revision: number) =>
      value(await gateway.ask(putRun, { run: { ...run, status }, if_revision, kept_until: keptUntil }));
    expect(await put('active', 0)).toEqual({ kind: 'written', revision: 1 });
    expect(await put('cancelled', 1)).toEqual({ kind: 'written', revision: 2 });
    expect(await put('active', 1)).toEqual({ kind: 'conflict', revision: 2 });
    await expect.poll(() => heard).toEqual([2]);
    await service.stop();
    await service.start();
    const found = value(await gateway.ask(readRun, { tenant: run.tenant, run_id: run.run_id }));
    expect(found).toEqual({ kind: 'found', run: { ...run, status: 'cancelled' }, revision: 2 });
  });
});
