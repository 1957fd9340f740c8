import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until } from '../http-spec/gateway.fixture.js';
import { denied, type MemoryItems } from '../http-spec/items.fixture.js';
import { Listening } from './listening.fixture.js';
import { RawClient } from './raw-client.fixture.js';

describe('resources and prompts of a session', () => {
  let gateway: Gateway;
  let items: MemoryItems;
  beforeEach(async () => {
    gateway = await Gateway.start();
    ({ items } = gateway.neighbours);
  });
  afterEach(() => gateway.stop());

  const own = '/mcp/servers/srv';
  const resultOf = async (client: RawClient, method: string, params: object = {}) => {
    const { messages } = await client.request(method, params);
    return Object(messages[0]?.['result'] ?? messages[0]?.['error']);
  };

  it('are declared, and listed as their front shows them', async () => {
    const opened = await new RawClient(gateway).initialize();
    expect(opened.messages[0]?.['result']?.['capabilities']).toEqual({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    });
    const seen = async (path: string) => {
      const client = await RawClient.open(gateway, { path });
      const lists = ['resources/list', 'resources/templates/list', 'prompts/list'];
      return Promise.all(lists.map((method) => resultOf(client, method)));
    };
    expect(await seen(own)).toEqual([
      { resources: [{ uri: 'test://one', name: 'one' }] },
      { resourceTemplates: [{ uriTemplate: 'test://{id}', name: 'any' }] },
      { prompts: [{ name: 'greet' }] },
    ]);
    expect(await seen('/mcp')).toEqual([
      { resources: [{ uri: 'uar+srv+test://one', name: 'one' }] },
      { resourceTemplates: [{ uriTemplate: 'uar+srv+test://{id}', name: 'any' }] },
      { prompts: [{ name: 'srv__greet' }] },
    ]);
  });

  it('are read with a grant, byte for byte but for what the call was', async () => {
    const client = await RawClient.open(gateway, { path: own });
    const { text } = await client.request('resources/read', { uri: 'test://one', _meta: { a: 1 } });
    const [request] = items.requests;
    expect(text).toContain('{ "contents":[{"uri":"test://one","text":"1", "size":1.50}]');
    expect(text).toContain(
      `"_meta":{"io.uar/call":{"call_id":"${request?.call_id}","outcome":"completed","effect":"ran"}}`,
    );
    expect(request).toMatchObject({
      ...{ grant: 'grant', server: 'srv', method: 'resources/read', item_id: 'test://one' },
      ...{ params_json: '{"uri":"test://one"}', seat: { id: '', capabilities_json: '{}' } },
    });
    await until(() => gateway.neighbours.outcomes.length === 1);
    expect(gateway.neighbours.receipts.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['outcome', 'completed'],
    ]);
  });

  it('are asked for by the names of their front', async () => {
    items.run = () => ({ kind: 'ran', result_json: '{"messages":[]}', is_error: false });
    const client = await RawClient.open(gateway);
    await client.request('prompts/get', { name: 'srv__greet', arguments: { a: 'b' } });
    const argument = { name: 'id', value: '' };
    for (const ref of [
      { type: 'ref/prompt', name: 'srv__greet' },
      { type: 'ref/resource', uri: 'uar+srv+test://{id}' },
    ])
      await client.request('completion/complete', { ref, argument });
    expect(items.requests.map(({ method, params_json }) => [method, JSON.parse(params_json)])).toEqual([
      ['prompts/get', { name: 'greet', arguments: { a: 'b' } }],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument }],
      ['completion/complete', { ref: { type: 'ref/resource', uri: 'test://{id}' }, argument }],
    ]);
  });

  it('are not there for whoever may not read them, word for word as those that are nowhere', async () => {
    items.decide = () => denied;
    const refusals = async (path: string, uris: readonly string[]) => {
      const client = await RawClient.open(gateway, { path });
      return Promise.all(
        uris.map(async (uri) => {
          const { text } = await client.request('resources/read', { uri });
          return text.replace(/call_[0-9a-f]{32}/, 'call').replaceAll(uri, 'uri');
        }),
      );
    };
    const refused = [
      ...(await refusals(own, ['test://one', 'test://nowhere'])),
      ...(await refusals('/mcp', ['uar+srv+test://one', 'uar+none+test://one', 'test://one', 'other://x'])),
    ].map((text) => JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? 'null').error);
    expect(new Set(refused.map((error) => JSON.stringify(error))).size).toBe(1);
    expect(refused[0]).toEqual({
      code: -32002,
      message: 'there is no such resource',
      data: {
        uri: 'uri',
        'io.uar/call': { call_id: 'call', outcome: 'policy_denied', effect: 'did_not_run' },
      },
    });
    expect(items.requests).toEqual([]);
    await until(() => gateway.neighbours.outcomes.length === refused.length);
    expect(gateway.neighbours.receipts.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual(
      refused.map(() => 'outcome policy_denied'),
    );
  });

  it('cannot be looked up while nobody can say what there is', async () => {
    gateway.neighbours.may = ({ kind }) => {
      if (kind === 'item') throw new Error('down');
      return true;
    };
    const client = await RawClient.open(gateway);
    expect(await resultOf(client, 'resources/read', { uri: 'test://one' })).toMatchObject({ code: -32603 });
  });

  it('end with the cancellation of the client, which gets no answer', async () => {
    let end = (): void => undefined;
    items.run = async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return { kind: 'cancelled', dispatched: true };
    };
    const client = await RawClient.open(gateway, { path: own });
    const reading = client.request('resources/read', { uri: 'test://one' }, 'read');
    await until(() => items.requests.length === 1);
    await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'read' } });
    await until(() => gateway.neighbours.cancelled.length === 1);
    end();
    expect((await reading).messages).toEqual([]);
  });

  it('show the progress of their upstream, and what it asks meanwhile goes to their client', async () => {
    let end = (): void => undefined;
    items.run = async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return { kind: 'ran', result_json: '{"messages":[]}', is_error: false };
    };
    const client = await RawClient.open(gateway, { path: own, capabilities: { sampling: {} } });
    const params = { name: 'greet', _meta: { progressToken: 't' } };
    const message = { jsonrpc: '2.0', id: 'get', method: 'prompts/get', params };
    const stream = await Listening.open(client, { method: 'POST', message });
    await until(() => items.requests.length === 1);
    const [request] = items.requests;
    if (request?.seat === undefined) throw new Error('there is no seat');
    gateway.neighbours.progress(request.call_id, { progress: 1 });
    const answer = gateway.neighbours.askClient({
      ...{ seat_id: request.seat.id, call_id: request.call_id },
      ...{ method: 'sampling/createMessage', params_json: '{}' },
    });
    const [progress, asked] = await stream.said(2);
    expect(progress).toMatchObject({ params: { progress: 1, progressToken: 't' } });
    await client.post({ jsonrpc: '2.0', id: asked?.['id'], result: {} });
    expect(await answer).toMatchObject({ value: { kind: 'answered' } });
    end();
    await until(() => stream.isOver);
    expect(stream.messages.at(-1)).toMatchObject({ id: 'get', result: { messages: [] } });
  });
});
