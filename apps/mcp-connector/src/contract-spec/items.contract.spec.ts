import { callProgressed, listItems, upstreamNotified, hosts, type BodyOf } from '@uar/contracts';
import { memberText } from '@uar/json-text';
import { withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { World, scripted, tenant } from '../connector.fixture.js';
import { itemAsk, itemServer, listOf, runResource, sendItem } from './items.fixture.js';

type Notified = BodyOf<typeof upstreamNotified>;

withBothBuses('resources and prompts of a shared server', (connect) => {
  let world: World;
  const told: Notified[] = [];
  beforeAll(async () => {
    world = await World.start(connect, {
      main: itemServer(),
      silent: itemServer({ silent: true }),
      tools: scripted(),
    });
    world.gateway.listen(upstreamNotified, (notice) => told.push(notice));
    await world.gateway.flush();
    await Promise.all(['main', 'silent', 'tools'].map((name) => world.untilReady(name)));
  });
  afterAll(() => world.stop());

  const state = async (server: string) =>
    JSON.parse(await world.textOf(server, 'state')) as {
      subscribed: string[];
      capabilities: object;
      counts: { resources: number };
    };

  it('lists all pages in the words of the upstream, and nothing where there is no such list', async () => {
    expect(await listOf(world, 'main', 'resources')).toEqual(
      ['test://a', 'test://b', 'test://c'].map((uri) => `{"uri":"${uri}","name":"${uri}","big":1.5}`),
    );
    expect(await listOf(world, 'main', 'templates')).toEqual(['{"uriTemplate":"test://t/{id}","name":"t"}']);
    expect(await listOf(world, 'main', 'prompts')).toEqual(['{"name":"greet"}']);
    expect(await listOf(world, 'tools', 'resources')).toEqual([]);
    const to = { to: world.host.instance };
    const unknown = { tenant, server: 'unknown', list: 'prompts' } as const;
    expect(await world.gateway.ask(listItems, unknown, to)).toMatchObject({ value: { kind: 'not_owner' } });
    const stale = { tenant, server: 'main', list: 'prompts', from: { list_digest: 'x', start: 1 } } as const;
    expect(await world.gateway.ask(listItems, stale, to)).toMatchObject({ value: { kind: 'stale' } });
  });

  it('keeps a list until the upstream says that it changed, and tells the clients', async () => {
    await listOf(world, 'main', 'resources');
    const { counts } = await state('main');
    await listOf(world, 'main', 'resources');
    expect((await state('main')).counts).toEqual(counts);
    await world.run('main', 'add', { args: { resource: 'test://new' } });
    expect((await listOf(world, 'main', 'resources')).length).toBe(4);
    await expect
      .poll(() => told)
      .toContainEqual({
        ...{ tenant, server: 'main', method: 'notifications/resources/list_changed', params_json: '{}' },
      });
    await world.run('main', 'add', { args: { prompt: 'new' } });
    expect(await listOf(world, 'main', 'prompts')).toEqual(['{"name":"greet"}', '{"name":"new"}']);
  });

  it('takes a list for the present one for a while where the upstream does not tell', async () => {
    expect((await listOf(world, 'silent', 'resources')).length).toBe(3);
    await world.run('silent', 'add', { args: { resource: 'test://unseen' } });
    expect((await listOf(world, 'silent', 'resources')).length).toBe(3);
  });

  it('reads a resource, its params and the result byte for byte', async () => {
    const params = '{"uri":"test://a","_meta":{"n":9007199254740993,"x":1.50}}';
    const ask = itemAsk(world, { server: 'main', method: 'resources/read', item_id: 'test://a', params });
    const answer = await sendItem(world, ask);
    if (answer.kind !== 'ran') throw new Error(JSON.stringify(answer));
    expect(answer).toMatchObject({ is_error: false });
    expect(answer.result_json).toMatch(/^\{"contents":\[\],"big":9007199254740993,/);
    const line = JSON.parse(memberText(answer.result_json, 'line') ?? '""') as string;
    expect(memberText(line, 'params')).toBe(params);
  });

  it('gets prompts and completes arguments of prompts and templates', async () => {
    const about = (method: 'prompts/get' | 'completion/complete', item_id: string, params: object) =>
      sendItem(world, itemAsk(world, { server: 'main', method, item_id, params }));
    expect(await about('prompts/get', 'greet', { name: 'greet', arguments: { a: 'b' } })).toMatchObject({
      kind: 'ran',
    });
    const argument = { name: 'id', value: 'o' };
    const prompt = { ref: { type: 'ref/prompt', name: 'greet' }, argument };
    const template = { ref: { type: 'ref/resource', uri: 'test://t/{id}' }, argument };
    expect(await about('completion/complete', 'greet', prompt)).toMatchObject({ kind: 'ran' });
    expect(await about('completion/complete', 'test://t/{id}', template)).toMatchObject({ kind: 'ran' });
    expect(await about('completion/complete', 'other', template)).toMatchObject({ cause: 'item_differs' });
  });

  it('refuses params that are about another item than the grant, or not plainly about it', async () => {
    const differing = ['{"uri":"test://b"}', '{"uri":"test://a","uri":"test://a"}', '[]', '{}', '{"uri":1}'];
    for (const params of [...differing, '{"uri":"test://a"}}\n{"jsonrpc":"2.0"']) {
      const ask = itemAsk(world, { server: 'main', method: 'resources/read', item_id: 'test://a', params });
      expect(await sendItem(world, ask)).toEqual({ kind: 'refused', cause: 'item_differs' });
    }
  });

  it('refuses what the grant does not say, and a second use', async () => {
    const wanted = { server: 'main', method: 'resources/read', item_id: 'test://a' } as const;
    const ask = itemAsk(world, { ...wanted, params: { uri: 'test://a' } });
    const refused = async (change: Partial<typeof ask>): Promise<unknown> =>
      await sendItem(world, { ...ask, ...change });
    expect(await refused({ method: 'resources/subscribe' })).toMatchObject({ cause: 'wrong_method' });
    expect(await refused({ params_json: '{ "uri":"test://a"}' })).toMatchObject({
      cause: 'wrong_arguments_digest',
    });
    expect(await refused({ item_id: 'test://b', params_json: '{"uri":"test://b"}' })).toMatchObject({
      cause: 'wrong_raw_name',
    });
    expect(await refused({ server: 'silent' })).toMatchObject({ cause: 'wrong_server' });
    expect(await refused({})).toMatchObject({ kind: 'ran' });
    expect(await refused({})).toEqual({ kind: 'refused', cause: 'used' });
  });

  it('runs no item with the grant of a tool call, and no tool with the grant of an item', async () => {
    const params = { uri: 'test://a' };
    const wanted = { server: 'main', method: 'resources/read', item_id: 'test://a', params } as const;
    const asTool = itemAsk(world, wanted, { claims: { method: 'tools/call' } });
    expect(await sendItem(world, asTool)).toEqual({ kind: 'refused', cause: 'wrong_method' });
    const call = await world.ask('main', 'state', { args: {} });
    const item = itemAsk(world, { ...wanted, item_id: 'state', params: '{}' });
    const stolen = { ...call, grant: item.grant, call_id: item.call_id };
    expect(await world.send(stolen)).toEqual({ kind: 'refused', cause: 'wrong_method' });
  });

  it('tells the progress of a request that wants it, and asks for none of another', async () => {
    const heard: BodyOf<typeof callProgressed>[] = [];
    const unlisten = world.gateway.listen(callProgressed, (body) => heard.push(body));
    await world.gateway.flush();
    const read = { server: 'main', method: 'resources/read', item_id: 'test://a' } as const;
    const params = '{"uri":"test://a"}';
    const wanting = itemAsk(world, { ...read, params }, { wants_progress: true });
    expect(await sendItem(world, wanting)).toMatchObject({ kind: 'ran' });
    expect(await sendItem(world, itemAsk(world, { ...read, params }))).toMatchObject({ kind: 'ran' });
    await expect.poll(() => heard.length).toBeGreaterThan(0);
    unlisten();
    expect(heard).toEqual([{ call_id: wanting.call_id, params_json: '{"progress":1,"of":"reading"}' }]);
  });

  it('bounds an item as a call: its result, its time, its cancellation', async () => {
    const read = ['main', 'test://a'] as const;
    expect(await runResource(world, 'resources/read', read, { max_result_bytes: 50 })).toMatchObject({
      kind: 'result_too_large',
    });
    const unanswered = { server: 'main', method: 'resources/read', item_id: 'test://never' } as const;
    const ask = itemAsk(world, { ...unanswered, params: { uri: 'test://never' } }, { timeout_ms: 50 });
    expect(await sendItem(world, ask)).toEqual({ kind: 'timeout' });
    const waiting = itemAsk(world, { ...unanswered, params: { uri: 'test://never' } });
    const answer = sendItem(world, waiting);
    const cancel = () =>
      world.gateway.ask(hosts.mcp.cancel, { call_id: waiting.call_id }, { to: world.host.instance });
    await expect.poll(cancel).toMatchObject({ value: { found: true } });
    expect(await answer).toMatchObject({ kind: 'cancelled' });
    const unknown = itemAsk(world, { ...unanswered, server: 'unknown', params: { uri: 'test://never' } });
    expect(await sendItem(world, unknown)).toEqual({ kind: 'not_owner' });
  });

  it('passes an error of the upstream on', async () => {
    const ask = {
      server: 'tools',
      method: 'resources/read',
      item_id: 'x:y',
      params: { uri: 'x:y' },
    } as const;
    expect(await sendItem(world, itemAsk(world, ask))).toMatchObject({
      kind: 'upstream_error',
      code: -32601,
    });
  });

  it('keeps a subscription until the last who asked for it has ended it, and across a new process', async () => {
    const watched = ['main', 'test://b'] as const;
    const updates = () => told.filter(({ method }) => method === 'notifications/resources/updated');
    for (const method of ['resources/subscribe', 'resources/subscribe', 'resources/unsubscribe'] as const)
      expect(await runResource(world, method, watched)).toMatchObject({ kind: 'ran', result_json: '{}' });
    await world.run('main', 'touch', { args: { uri: 'test://b' } });
    await expect.poll(updates).toEqual([
      {
        ...{ tenant, server: 'main', method: 'notifications/resources/updated' },
        params_json: '{"uri":"test://b"}',
      },
    ]);
    expect(await world.run('main', 'exit')).toMatchObject({ kind: 'transport_failure' });
    await world.until('main', ({ epoch, status }) => epoch === 2 && status === 'ready');
    await expect.poll(async () => (await state('main')).subscribed).toEqual(['test://b']);
    await runResource(world, 'resources/unsubscribe', watched);
    expect((await state('main')).subscribed).toEqual([]);
  });

  it('declares nothing to a shared server, whatever the seat says, and passes nothing on that it logs', async () => {
    const seat = { id: 's', gateway: world.gateway.instance, capabilities_json: '{"sampling":{}}' };
    expect(JSON.parse(await world.textOf('main', 'state', {}, { seat }))).toMatchObject({ capabilities: {} });
    await world.run('main', 'log', { args: { levels: ['error'] }, seat });
    await runResource(world, 'resources/subscribe', ['main', 'test://c']);
    const before = told.length;
    await world.run('main', 'touch', { args: { uri: 'test://c', times: 1_000 } });
    await expect.poll(() => told.length).toBeGreaterThan(before);
    expect(told.length - before).toBeLessThan(20);
    expect(told.filter(({ method, seat: one }) => one !== undefined || /message/.test(method))).toEqual([]);
  });
});
