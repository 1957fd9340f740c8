import type { Bus } from '@uar/bus';
import {
  NotedEvent,
  StoredRun,
  TenantId,
  appendEvents,
  eventsAppended,
  putRun,
  readEvents,
  type BodyOf,
  type EventGroup,
} from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deployment, value, type Deployment } from './running.fixture.js';

const tenant = TenantId.parse('acme');
const run = StoredRun.parse({
  run_id: `run_${'1'.repeat(32)}`,
  tenant,
  owner: {
    principal: {
      ...{ issuer: 'i', subject: 'ann', tenant, kind: 'user', roles: [], groups: [], scopes: [] },
      ...{ mfa: false, claims: {}, expires_at: 1 },
    },
    channel: 'api',
  },
  ...{ status: 'active', scopes: {}, asks_always: false, created_at: 1, expires_at: 9e12 },
});
const owner = { principal: 'User::"acme/ann"', issuer: 'i' };

function group(text: string): EventGroup {
  const event = { type: 'call.proposed', at: 1, data_json: JSON.stringify({ text }) };
  return { tenant, run: { run_id: run.run_id, owner }, count: 1, events_json: JSON.stringify([event]) };
}

withBothBuses('events', (connect) => {
  let service: Deployment;
  let gateway: Bus;
  let told: BodyOf<typeof eventsAppended>[];
  const source = '0123456789abcdef';

  beforeEach(async () => {
    service = deployment(connect);
    await service.start();
    gateway = await connect('gateway');
    told = [];
    gateway.listen(eventsAppended, (body) => told.push(body));
    await gateway.flush();
  });
  afterEach(async () => {
    await gateway.close();
    await service.end();
  });

  const read = async (after = 0) =>
    value(await gateway.ask(readEvents, { tenant, run_id: run.run_id, after }));
  const append = async (batch: number, groups: EventGroup[]) =>
    value(await gateway.ask(appendEvents, { source, batch, groups }));
  const typesOf = ({ groups }: Awaited<ReturnType<typeof read>>) =>
    groups
      .flatMap(({ events_json }) => NotedEvent.array().parse(JSON.parse(events_json)))
      .map(({ type }) => type);

  it('are told after the commit, whole where they are short, and are kept over a restart', async () => {
    expect(await append(1, [group('a'), group('b')])).toEqual({ appended: true });
    await expect
      .poll(() => told)
      .toEqual([
        {
          tenant,
          groups: [
            { ...group('a'), tenant: undefined, position: 1, seq: 1 },
            { ...group('b'), tenant: undefined, position: 2, seq: 2 },
          ],
        },
      ]);
    expect(await append(2, [group('z'.repeat(70_000))])).toEqual({ appended: true });
    await expect.poll(() => told[1]?.groups).toEqual([{ run: group('').run, count: 1, position: 3, seq: 3 }]);
    expect(await append(2, [group('again')])).toEqual({ appended: false });
    await service.stop();
    await service.start();
    expect((await read()).groups.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(await append(3, [group('c')])).toEqual({ appended: true });
    expect((await read(3)).groups).toMatchObject([{ position: 4, seq: 4 }]);
  });

  it('say what becomes of a run, also that its time is over', async () => {
    const put = (changes: Partial<StoredRun>, if_revision: number) =>
      gateway.ask(putRun, { run: { ...run, ...changes }, if_revision, kept_until: 9e12 });
    await put({}, 0);
    await put({}, 1);
    await put({}, 1);
    await put({ expires_at: Date.now() + 300 }, 2);
    expect(typesOf(await read())).toEqual(['run.opened', 'run.changed', 'run.changed']);
    await expect.poll(async () => typesOf(await read()).at(-1)).toBe('run.ended');
    const last = (await read()).groups.at(-1);
    expect(JSON.parse(last?.events_json ?? '')).toMatchObject([{ data_json: '{"status":"expired"}' }]);
    expect(last?.run).toEqual({ run_id: run.run_id, owner });
  });
});
