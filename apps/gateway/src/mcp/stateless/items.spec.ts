import { afterEach, beforeEach, expect, it } from 'vitest';
import { Gateway, until } from '../../http-spec/gateway.fixture.js';
import { denied, type MemoryItems } from '../../http-spec/items.fixture.js';
import { capabilities, keysOf, named, resultOf } from './inputs.fixture.js';
import { StatelessClient } from './stateless-client.fixture.js';

let gateway: Gateway;
let items: MemoryItems;
let client: StatelessClient;
beforeEach(async () => {
  gateway = await Gateway.start();
  ({ items } = gateway.neighbours);
  client = new StatelessClient(gateway);
});
afterEach(() => gateway.stop());

const said = async (method: string, params: Record<string, unknown> = {}, headers = {}) => {
  const { status, messages } = await client.request(method, params, { headers });
  return { status, ...messages.at(-1) };
};
const cacheable = { resultType: 'complete', cacheScope: 'private' };

it('lists what the front shows, to be kept for a while', async () => {
  expect(await said('resources/list')).toMatchObject({
    result: { ...cacheable, ttlMs: 10_000, resources: [{ uri: 'uar+srv+test://one', name: 'one' }] },
  });
  expect(await said('resources/templates/list')).toMatchObject({
    result: { ...cacheable, resourceTemplates: [{ uriTemplate: 'uar+srv+test://{id}' }] },
  });
  expect(await said('prompts/list')).toMatchObject({
    result: { ...cacheable, prompts: [{ name: 'srv__greet' }] },
  });
  gateway.neighbours.may = ({ kind }) => kind !== 'list_tools';
  expect((await said('prompts/list')).status).toBe(403);
});

it('reads, gets and completes under the names of the front', async () => {
  const uri = 'uar+srv+test://one';
  const read = await client.request('resources/read', { uri }, { headers: { 'mcp-name': uri } });
  expect(read.text).toContain('"size":1.50');
  expect(read.messages).toMatchObject([
    {
      result: {
        ...cacheable,
        ttlMs: 0,
        contents: [{ uri }],
        _meta: { 'io.uar/call': { outcome: 'completed' } },
      },
    },
  ]);
  items.run = () => ({ kind: 'ran', result_json: '{"messages":[]}', is_error: false });
  expect(await said('prompts/get', { name: 'srv__greet', arguments: { a: 'b' } })).toMatchObject({
    result: { resultType: 'complete', messages: [] },
  });
  const ref = { type: 'ref/prompt', name: 'srv__greet' };
  await said('completion/complete', { ref, argument: { name: 'id', value: '' } });
  expect(items.requests.map(({ method, item_id, seat }) => [method, item_id, seat?.id])).toEqual([
    ['resources/read', 'test://one', ''],
    ['prompts/get', 'greet', ''],
    ['completion/complete', 'greet', ''],
  ]);
  expect(await said('prompts/get', { name: 'srv__greet' }, { 'mcp-name': 'srv__other' })).toMatchObject({
    status: 400,
    error: { code: -32020 },
  });
});

it('has one code for what is nowhere and for what the caller may not read', async () => {
  items.decide = () => denied;
  for (const uri of ['uar+srv+test://one', 'other://x'])
    expect(await said('resources/read', { uri }, { 'mcp-name': uri })).toMatchObject({
      status: 200,
      error: { code: -32602, data: { uri } },
    });
  expect(items.requests).toEqual([]);
});

it('ends with the stream that its client closed', async () => {
  let end = (): void => undefined;
  items.run = async () => {
    await new Promise<void>((resolve) => (end = resolve));
    return { kind: 'cancelled', dispatched: true };
  };
  const close = client.abortable('prompts/get', { name: 'srv__greet' });
  await until(() => items.requests.length === 1);
  close();
  await until(() => gateway.neighbours.cancelled.length === 1);
  end();
});

it.each([
  ['prompts/get', { name: 'srv__greet' }, '{"messages":[],"odd":1.50}'],
  ['resources/read', { uri: 'uar+srv+test://one' }, '{"contents":[{"uri":"test://one","odd":1.50}]}'],
])(
  'asks its client what the upstream asks during %s, and goes on with the answers',
  async (method, params, text) => {
    const { askClient } = gateway.neighbours;
    const heard: unknown[] = [];
    items.run = async ({ seat, call_id }) => {
      const ask = { seat_id: seat?.id ?? '', call_id, ...named('one') };
      heard.push(await askClient.call(gateway.neighbours, ask));
      return { kind: 'ran', is_error: false, result_json: text };
    };
    const asking = new StatelessClient(gateway, { capabilities });
    const asked = resultOf(await asking.request(method, params));
    expect([asked['resultType'], keysOf(asked)]).toEqual(['input_required', ['one']]);
    const { requestState } = asked;
    const bent = await asking.request(method, { ...params, requestState, inputResponses: { one: 1 } });
    const foreign = await new StatelessClient(gateway, { capabilities, token: gateway.token('eve') }).request(
      method,
      {
        ...{ ...params, requestState, inputResponses: { one: {} } },
      },
    );
    for (const each of [bent, foreign]) expect(each.messages).toMatchObject([{ error: { code: -32602 } }]);
    const done = await asking.request(method, { ...params, requestState, inputResponses: { one: { n: 1 } } });
    expect(done.text).toContain('"odd":1.50');
    expect(resultOf(done)).toMatchObject({
      resultType: 'complete',
      _meta: { 'io.uar/call': { outcome: 'completed' } },
    });
    if ('uri' in params) expect(resultOf(done)['contents']).toMatchObject([{ uri: params.uri }]);
    const late = await asking.request(method, { ...params, requestState, inputResponses: { one: {} } });
    expect(late.messages).toMatchObject([{ error: { code: -32603 } }]);
    expect(heard).toMatchObject([{ value: { kind: 'answered', result_json: '{"n":1}' } }]);
    const [sent] = items.requests;
    expect([items.requests.length, sent?.params_json.includes('input')]).toEqual([1, false]);
  },
);
