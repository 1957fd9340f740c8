import { afterEach, beforeEach, expect, it } from 'vitest';
import { entry } from '../../domain/call-spec/entry.fixture.js';
import { Gateway, until } from '../../http-spec/gateway.fixture.js';
import { StatelessClient } from './stateless-client.fixture.js';

const subscription = 'io.modelcontextprotocol/subscriptionId';
const tools = { notifications: { toolsListChanged: true } };
const changed = (id: string | number) => ({
  jsonrpc: '2.0',
  method: 'notifications/tools/list_changed',
  params: { _meta: { [subscription]: id } },
});
const acknowledged = (id: string | number, notifications: object) => ({
  jsonrpc: '2.0',
  method: 'notifications/subscriptions/acknowledged',
  params: { notifications, _meta: { [subscription]: id } },
});

let gateway: Gateway;
beforeEach(async () => {
  gateway = await Gateway.start();
});
afterEach(() => gateway.stop());

it('tells exactly those whose list became another one, each under its own id', async () => {
  const { neighbours } = gateway;
  const before = neighbours.entries;
  neighbours.discovers = ({ raw_name }, { principal }) => raw_name !== 'new' || principal.subject === 'ada';
  const client = new StatelessClient(gateway);
  const other = new StatelessClient(gateway, { token: gateway.token('eve') });
  const heard = await client.open('subscriptions/listen', tools, { id: 's' });
  const unconcerned = await other.open('subscriptions/listen', tools, { id: 2 });
  expect(await heard.said(1)).toEqual([acknowledged('s', { toolsListChanged: true })]);
  expect(await unconcerned.said(1)).toEqual([acknowledged(2, { toolsListChanged: true })]);
  neighbours.catalogChanged([...before, entry('new')]);
  expect((await heard.said(2))[1]).toEqual(changed('s'));
  neighbours.policiesChanged();
  neighbours.catalogChanged([...before, entry('new'), entry('for_all')]);
  expect((await unconcerned.said(2))[1]).toEqual(changed(2));
  expect((await heard.said(3)).length).toBe(3);
  expect(unconcerned.messages.length).toBe(2);
  heard.close();
  unconcerned.close();
});

it('says of a wish what it keeps, and ends where that is nothing', async () => {
  const client = new StatelessClient(gateway);
  const wish = { notifications: { promptsListChanged: false, resourceSubscriptions: ['file:///x'] } };
  const { messages } = await client.request('subscriptions/listen', wish, { id: 0 });
  expect(messages).toEqual([
    acknowledged(0, {}),
    {
      jsonrpc: '2.0',
      id: 0,
      result: {
        resultType: 'complete',
        _meta: expect.objectContaining({ [subscription]: 0 }) as object,
      },
    },
  ]);
});

it("tells of prompts and resources who wished it, of its upstreams and of nobody else's session", async () => {
  const { neighbours } = gateway;
  const wish = { notifications: { promptsListChanged: true, resourcesListChanged: true } };
  const own = new StatelessClient(gateway, { path: '/mcp/servers/srv' });
  const eve = new StatelessClient(gateway, { token: gateway.token('eve') });
  const streams = [
    await new StatelessClient(gateway).open('subscriptions/listen', wish, { id: 'ada' }),
    await own.open('subscriptions/listen', { notifications: { promptsListChanged: true } }, { id: 'own' }),
    await eve.open('subscriptions/listen', wish, { id: 'eve' }),
    await eve.open('subscriptions/listen', tools, { id: 'tools' }),
  ];
  for (const [index, stream] of streams.entries()) {
    const kept =
      index === 1 ? { promptsListChanged: true } : index === 3 ? tools.notifications : wish.notifications;
    expect((await stream.said(1))[0]).toMatchObject({ params: { notifications: kept } });
  }
  const seat = { id: 's', gateway: neighbours.gatewayBus.instance };
  const prompts = { method: 'notifications/prompts/list_changed', params_json: '{}' };
  for (let n = 0; n < 3; n += 1) neighbours.notify(prompts);
  neighbours.notify({ ...prompts, method: 'notifications/resources/list_changed', seat });
  neighbours.notify({ ...prompts, method: 'notifications/resources/list_changed', server: 'other', seat });
  const [ada, ownStream, eveStream, toolStream] = streams;
  const said = (id: string, ...lists: readonly string[]) =>
    lists.map((list) => ({
      ...{ jsonrpc: '2.0', method: `notifications/${list}/list_changed` },
      params: { _meta: { [subscription]: id } },
    }));
  const news = async (stream: (typeof streams)[number] | undefined, count: number) =>
    (await stream?.said(count))?.slice(1);
  expect(await news(ada, 3)).toEqual(said('ada', 'prompts', 'resources'));
  expect(await news(ownStream, 2)).toEqual(said('own', 'prompts'));
  expect(await news(eveStream, 2)).toEqual(said('eve', 'prompts'));
  expect(toolStream?.messages.length).toBe(1);
  for (const stream of streams) stream.close();
});

it.each([[{}], [{ notifications: [] }], [{ notifications: { toolsListChanged: 'yes' } }]])(
  'refuses a wish of %j',
  async (params) => {
    const { status, messages } = await new StatelessClient(gateway).request('subscriptions/listen', params);
    expect([status, messages]).toMatchObject([400, [{ error: { code: -32602 } }]]);
  },
);

it('opens so many for one principal, and a new one as soon as one closed', async () => {
  const client = new StatelessClient(gateway);
  const other = new StatelessClient(gateway, { token: gateway.token('eve') });
  const open = [];
  for (let id = 0; id < 20; id += 1) open.push(await client.open('subscriptions/listen', tools, { id }));
  expect((await client.request('subscriptions/listen', tools)).status).toBe(429);
  const theirs = await other.open('subscriptions/listen', tools);
  expect(theirs.response.status).toBe(200);
  open.pop()?.close();
  await until(async () => {
    const next = await client.open('subscriptions/listen', tools);
    open.push(next);
    return next.response.status === 200;
  });
  for (const stream of [theirs, ...open]) stream.close();
});

it('needs policy to allow lists', async () => {
  gateway.neighbours.may = ({ kind }) => kind !== 'list_tools';
  expect((await new StatelessClient(gateway).request('subscriptions/listen', tools)).status).toBe(403);
});

it('ends with a result when the gateway stops', async () => {
  const stream = await new StatelessClient(gateway).open('subscriptions/listen', tools, { id: 's' });
  await stream.said(1);
  const stopped = gateway.stop();
  expect((await stream.said(2))[1]).toMatchObject({ id: 's', result: { resultType: 'complete' } });
  await stopped;
  gateway = await Gateway.start();
});
