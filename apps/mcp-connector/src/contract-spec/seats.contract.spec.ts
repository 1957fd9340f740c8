import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hosts } from '@uar/contracts';
import { memberText } from '@uar/json-text';
import { withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { World } from '../connector.fixture.js';
import { Gateway, principals, stateOf } from './gateway.fixture.js';
import { itemAsk, itemServer, runResource, sendItem } from './items.fixture.js';

const { alice, bob } = principals;
const all = { sampling: {}, elicitation: { form: {} }, roots: {} };

withBothBuses('seats of a per_principal server', (connect) => {
  let world: World;
  let one: Gateway;
  let other: Gateway;
  beforeAll(async () => {
    world = await World.start(connect, {
      own: itemServer({}, { placement: 'per_principal', concurrency: 2 }),
    });
    [one, other] = await Promise.all([
      Gateway.start(await connect('gateway')),
      Gateway.start(await connect('gateway')),
    ]);
    await world.untilReady('own');
  });
  afterAll(() => world.stop());
  beforeEach(() => {
    for (const list of [one.asked, one.told, other.asked, other.told]) list.length = 0;
  });

  const ask = (method: string, params: string, seat = one.seat('s', all)): Promise<string> =>
    world.textOf('own', 'ask', { method, params }, { principal: alice, seat });

  it('gives each principal a process and a home, and each seat of theirs a process', async () => {
    const base = (await world.list('own')).definitions.length;
    expect(base).toBeGreaterThan(5);
    const [a, again, b, seated] = await Promise.all([
      stateOf(world, 'own', { principal: alice }),
      stateOf(world, 'own', { principal: alice }),
      stateOf(world, 'own', { principal: bob }),
      stateOf(world, 'own', { principal: alice, seat: one.seat('s', all) }),
    ]);
    expect(again).toEqual(a);
    expect(new Set([a.pid, b.pid, seated.pid]).size).toBe(3);
    expect(a.home).toBe(seated.home);
    expect(a.home).not.toBe(b.home);
    expect(a.home.startsWith(`${world.folder}/homes/`)).toBe(true);
    expect([a.capabilities, seated.capabilities]).toEqual([{}, all]);
    const seat = one.seat('s', all);
    expect((await stateOf(world, 'own', { principal: bob, seat })).pid).not.toBe(seated.pid);
    expect((await stateOf(world, 'own', { principal: alice, seat })).pid).toBe(seated.pid);
    expect(world.report('own')).toMatchObject({ status: 'ready', epoch: 1, tool_count: base });
  });

  it('runs items in the seat too', async () => {
    const seat = one.seat('s', all);
    const whose = { seat, claims: { principal: alice } };
    expect(await runResource(world, 'resources/subscribe', ['own', 'test://a'], whose)).toMatchObject({
      kind: 'ran',
    });
    expect((await stateOf(world, 'own', { principal: alice, seat })).subscribed).toEqual(['test://a']);
    expect((await stateOf(world, 'own', { principal: alice })).subscribed).toEqual([]);
    await world.run('own', 'touch', { args: { uri: 'test://a' }, principal: alice, seat });
    await expect
      .poll(() => one.told)
      .toMatchObject([
        {
          ...{ server: 'own', seat: { id: 's', gateway: one.bus.instance, principal: alice } },
          ...{ method: 'notifications/resources/updated', params_json: '{"uri":"test://a"}' },
        },
      ]);
    await runResource(world, 'resources/unsubscribe', ['own', 'test://a'], whose);
  });

  it('asks the client of the seat, and takes its answer back byte for byte', async () => {
    const big = '{"role":"assistant","n":9007199254740993,"x":1.50}';
    one.say = () => ({ kind: 'answered', result_json: big });
    other.say = () => ({ kind: 'answered', result_json: '{"other":true}' });
    const params = '{"messages":[],"maxTokens":9007199254740993,"t":1.50}';
    const seat = other.seat('t', all);
    const call = await world.ask('own', 'ask', {
      ...{ args: { method: 'sampling/createMessage', params }, principal: bob, seat },
    });
    const line = await ask('sampling/createMessage', params);
    expect(memberText(line, 'result')).toBe(big);
    expect(one.asked).toMatchObject([
      { seat_id: 's', method: 'sampling/createMessage', params_json: params },
    ]);
    expect(other.asked).toEqual([]);
    expect(await world.send(call)).toMatchObject({ kind: 'ran' });
    expect(other.asked).toMatchObject([{ seat_id: 't', call_id: call.call_id, params_json: params }]);
    expect(one.asked.length).toBe(1);
  });

  it('passes an error of the client on, and makes one of a client that is not there', async () => {
    one.say = () => ({ kind: 'failed', code: -1, message: 'declined', data_json: '{"n":9007199254740993}' });
    expect(memberText(await ask('elicitation/create', '{}'), 'error')).toBe(
      '{"code":-1,"message":"declined","data":{"n":9007199254740993}}',
    );
    one.say = () => ({ kind: 'gone' });
    expect(memberText(await ask('roots/list', '{}'), 'error', 'code')).toBe('-32603');
    one.say = () => ({ kind: 'answered', result_json: '{"broken":' });
    expect(memberText(await ask('roots/list', '{}'), 'error', 'code')).toBe('-32603');
    const away = { ...one.seat('away', all), gateway: world.registry.instance };
    expect(memberText(await ask('roots/list', '{}', away), 'error', 'code')).toBe('-32603');
  });

  it('refuses what the seat did not declare, and answers pings', async () => {
    const seat = one.seat('roots', { roots: {} });
    one.say = () => ({ kind: 'answered', result_json: '{"roots":[]}' });
    expect(memberText(await ask('roots/list', '{}', seat), 'result')).toBe('{"roots":[]}');
    for (const method of ['sampling/createMessage', 'elicitation/create', 'tasks/list'])
      expect(memberText(await ask(method, '{}', seat), 'error', 'code')).toBe('-32601');
    expect(one.asked.length).toBe(1);
    expect(memberText(await world.textOf('own', 'ping', {}, { principal: alice, seat }), 'result')).toBe(
      '{}',
    );
  });

  it('stops waiting when the upstream takes its request back', async () => {
    const seat = one.seat('patient', all);
    let answer = (): void => undefined;
    one.say = () =>
      new Promise((resolve) => {
        answer = () => resolve({ kind: 'answered', result_json: '{}' });
      });
    const whose = { principal: alice, seat };
    const args = { method: 'roots/list', params: '{}' };
    const waiting = world.textOf('own', 'ask_and_wait', args, whose);
    await expect.poll(() => one.asked.length).toBe(1);
    await world.run('own', 'give_up', whose);
    expect(await waiting).toBe('given up');
    answer();
    one.say = () => ({ kind: 'answered', result_json: '{}' });
    await ask('roots/list', '{}', seat);
    expect((await stateOf(world, 'own', whose)).waiting).toBe(1);
  });

  it('passes on what the upstream logs, from the level of the seat on', async () => {
    const whose = { principal: alice, seat: one.seat('log', {}, { log_level: 'warning' }) };
    const call = await world.ask('own', 'log', { args: { levels: ['debug', 'info', 'error'] }, ...whose });
    await world.send(call);
    await expect.poll(() => one.toldOf('notifications/message').length).toBe(1);
    expect(one.told[0]).toEqual({
      ...{
        tenant: 'default',
        server: 'own',
        seat: { id: 'log', gateway: one.bus.instance, principal: alice },
      },
      ...{ call_id: call.call_id, method: 'notifications/message' },
      params_json: '{"level":"error","data":"error"}',
    });
    expect((await stateOf(world, 'own', whose)).level).toBe('warning');
    const lower = { principal: alice, seat: one.seat('log', {}, { log_level: 'debug' }) };
    expect((await stateOf(world, 'own', lower)).level).toBe('debug');
    await world.run('own', 'log', { args: { levels: ['debug', 'info'] }, ...lower });
    await expect.poll(() => one.toldOf('notifications/message').length).toBe(3);
  });

  it('drops what is too long or too much, and tells the end of an elicitation', async () => {
    const whose = { principal: alice, seat: one.seat('flood') };
    await world.run('own', 'log', { args: { levels: ['info'], size: 70_000 }, ...whose });
    await world.run('own', 'log', { args: { levels: ['info'], times: 5_000 }, ...whose });
    await world.run('own', 'complete', {
      args: { elicitationId: 'e1' },
      principal: bob,
      seat: one.seat('b'),
    });
    await expect
      .poll(() => one.toldOf('notifications/elicitation/complete'))
      .toEqual(['{"elicitationId":"e1"}']);
    // Told after them: what was not dropped of the flood is here by now.
    const flood = one.toldOf('notifications/message');
    expect(flood.length).toBeGreaterThanOrEqual(1_000);
    expect(flood.length).toBeLessThan(4_000);
    expect(Math.max(...flood.map((text) => text.length))).toBeLessThan(100);
  });

  it('says of a process that ends during a call what became of it, and opens another for the next', async () => {
    const seat = one.seat('mortal');
    const whose = { principal: alice, seat };
    const { pid } = await stateOf(world, 'own', whose);
    const untouched = await stateOf(world, 'own', { principal: bob });
    const call = await world.begin(await world.ask('own', 'never', whose));
    process.kill(pid, 'SIGKILL');
    expect(await call.answer).toMatchObject({ kind: 'transport_failure' });
    expect((await stateOf(world, 'own', whose)).pid).not.toBe(pid);
    expect((await stateOf(world, 'own', { principal: bob })).pid).toBe(untouched.pid);
    expect(world.report('own')).toMatchObject({ restarts: 0, epoch: 1 });
  });

  it('finds a call in a seat that is to be cancelled', async () => {
    const call = await world.ask('own', 'never', { principal: alice, seat: one.seat('s', all) });
    const running = await world.begin(call);
    const cancel = { call_id: call.call_id };
    expect(await world.gateway.ask(hosts.mcp.cancel, cancel, { to: world.host.instance })).toMatchObject({
      value: { found: true },
    });
    expect(await running.answer).toEqual({ kind: 'cancelled', dispatched: true });
  });

  it('opens no session for a grant that does not hold', async () => {
    const params = { uri: 'test://a' };
    const wanted = { server: 'own', method: 'resources/read', item_id: 'test://a', params } as const;
    const bad = itemAsk(world, wanted, {
      claims: { method: 'tools/call', principal: 'User::"default/eve"' },
    });
    const homes = (): number => readdirSync(join(world.folder, 'homes')).length;
    const before = homes();
    expect(await sendItem(world, bad)).toMatchObject({ kind: 'refused' });
    expect(homes()).toBe(before);
  });

  it('closes all seats when the connection part changes, and when the host stops', async () => {
    const whose = { principal: alice, seat: one.seat('last') };
    const before = await stateOf(world, 'own', whose);
    world.want({ own: itemServer({}, { placement: 'per_principal', env: { A: 'b' } }) });
    await world.until('own', ({ epoch, status }) => epoch === 2 && status === 'ready');
    const after = await stateOf(world, 'own', whose);
    expect(after.pid).not.toBe(before.pid);
    const isAlive = (pid: number): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await expect.poll(() => isAlive(before.pid)).toBe(false);
    expect(isAlive(after.pid)).toBe(true);
    await world.stopService();
    expect(isAlive(after.pid)).toBe(false);
  });
});
