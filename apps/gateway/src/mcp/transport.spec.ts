import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway, until } from '../http-spec/gateway.fixture.js';
import { Listening } from './listening.fixture.js';
import { RawClient } from './raw-client.fixture.js';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const greeting = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

describe.each(['/mcp', '/mcp/servers/srv'])('%s over streamable HTTP', (path) => {
  let gateway: Gateway;
  let client: RawClient;
  beforeAll(async () => {
    gateway = await Gateway.start();
    client = await RawClient.open(gateway, { path });
  });
  afterAll(() => gateway.stop());

  it.each([
    ['application/json', 406],
    ['text/event-stream', 406],
    ['text/html', 406],
    ['application/json, text/event-stream;q=0', 406],
    ['application/json;q=0.9, text/event-stream', 200],
    ['*/*', 200],
  ])('answers a POST that accepts %s with %i', async (accept, status) => {
    expect((await client.post(ping, { accept })).status).toBe(status);
  });

  it.each([['text/plain'], ['application/jsonl'], ['text/event-stream']])(
    'refuses a body of type %s',
    async (type) => {
      expect((await client.post(ping, { 'content-type': type })).status).toBe(415);
    },
  );

  it.each([
    ['2024-11-05', 200],
    ['2025-03-26', 200],
    ['2025-06-18', 200],
    ['2025-11-25', 200],
    ['2024-10-07', 400],
    ['', 400],
    ['2025-11-25, 2025-06-18', 400],
  ])('answers MCP-Protocol-Version %j with %i', async (version, status) => {
    const answer = await client.post(ping, { 'mcp-protocol-version': version });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.messages).toMatchObject([{ error: { code: -32000 } }]);
  });

  it.each([
    ['2025-06-18', '2025-06-18'],
    ['2024-10-07', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
    ['x', '2025-11-25'],
  ])('agrees, when asked for %s, on %s', async (wanted, agreed) => {
    const fresh = new RawClient(gateway, { path, revision: wanted });
    expect((await fresh.initialize()).messages).toMatchObject([{ result: { protocolVersion: agreed } }]);
  });

  it.each([
    [{}],
    [{ ...greeting.params, protocolVersion: 1 }],
    [{ ...greeting.params, clientInfo: {} }],
    [undefined],
  ])('opens no session for a greeting of %j', async (params) => {
    const fresh = new RawClient(gateway, { path });
    const { status, headers, messages } = await fresh.post({ ...greeting, params });
    expect([status, headers.get('mcp-session-id')]).toEqual([400, null]);
    expect(messages).toMatchObject([{ id: 1, error: { code: -32602 } }]);
  });

  it('tells clients of both eras that here it is initialize', async () => {
    for (const each of [client, new RawClient(gateway, { path })]) {
      const { status, messages } = await each.request('server/discover', {}, 0);
      expect([status, messages]).toMatchObject([400, [{ id: 0, error: { code: -32000 } }]]);
    }
  });

  it('answers request 0, and takes its cancellation', async () => {
    expect((await client.request('ping', {}, 0)).messages).toEqual([{ jsonrpc: '2.0', id: 0, result: {} }]);
    let end: () => void = () => undefined;
    gateway.neighbours.run = async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return { kind: 'cancelled', dispatched: true };
    };
    const name = path === '/mcp' ? 'srv__echo' : 'echo';
    const running = client.call(name, {}, 0);
    await until(() => gateway.neighbours.calls.length === 1);
    expect((await client.call(name, {}, 0)).status).toBe(400);
    await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } });
    await until(() => gateway.neighbours.cancelled.length === 1);
    end();
    expect((await running).messages).toEqual([]);
  });

  it.each([[[]], [{ progressToken: {} }], [null], ['x']])(
    'answers a request with a _meta of %j, which is none',
    async (meta) => {
      for (const method of ['ping', 'tools/list', 'tools/call']) {
        const { messages } = await client.request(method, { name: 'x', _meta: meta }, 9);
        expect(messages).toMatchObject([{ id: 9, error: { code: -32602 } }]);
      }
    },
  );

  it.each([
    ['text that is no JSON', '{', 400, -32700],
    ['a doubled member', '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}', 400, -32600],
    [
      'depth 100,000',
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(1e5)}${']'.repeat(1e5)}}`,
      400,
      -32600,
    ],
  ])('refuses %s', async (_, text, status, code) => {
    expect(await client.post(text)).toMatchObject({ status, messages: [{ id: null, error: { code } }] });
  });

  it('refuses more than 4 MiB with 413', async () => {
    const long = { ...ping, params: { text: 'x'.repeat(4 * 1024 * 1024) } };
    expect((await client.post(long)).status).toBe(413);
  });

  it('refuses a foreign Host and a foreign Origin', async () => {
    expect((await client.post(ping, { origin: 'https://evil.example' })).status).toBe(403);
    const { port } = new URL(gateway.url);
    const status = await new Promise((resolve) => {
      const headers = { host: 'evil.example', authorization: `Bearer ${gateway.token()}` };
      httpRequest({ port, path, headers }, (response) => resolve(response.resume().statusCode)).end();
    });
    expect(status).toBe(403);
  });

  it('has other methods than GET, POST and DELETE nowhere', async () => {
    const { status, headers } = await client.begin('PUT', { message: ping });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, POST, DELETE']);
  });
});

describe('a session', () => {
  it('ends with DELETE, and its calls with it', async () => {
    const gateway = await Gateway.start();
    const client = await RawClient.open(gateway);
    let end: () => void = () => undefined;
    gateway.neighbours.run = async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return { kind: 'cancelled', dispatched: true };
    };
    const running = client.call('srv__echo');
    await until(() => gateway.neighbours.calls.length === 1);
    expect((await client.send('DELETE')).status).toBe(200);
    await until(() => gateway.neighbours.cancelled.length === 1);
    end();
    expect((await running).messages).toEqual([]);
    await until(() => gateway.neighbours.outcomes.length === 1);
    expect(gateway.neighbours.outcomes).toEqual(['cancelled_after_dispatch']);
    for (const method of ['GET', 'DELETE'] as const) expect((await client.send(method)).status).toBe(404);
    expect((await client.request('ping')).status).toBe(404);
    await gateway.stop();
  });

  it('ends a connection that nobody reads, and keeps what was said for whoever comes back', async () => {
    const gateway = await Gateway.start();
    const client = await RawClient.open(gateway);
    let end: () => void = () => undefined;
    gateway.neighbours.run = async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return { kind: 'ran', result_json: '{"content":[]}', is_error: false };
    };
    const { url } = gateway;
    const message = {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'srv__echo', arguments: {}, _meta: { progressToken: 1 } },
    };
    const unread = await new Promise<IncomingMessage>((resolve) => {
      const headers = {
        authorization: `Bearer ${gateway.token()}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': client.session ?? '',
      };
      httpRequest(`${url}/mcp`, { method: 'POST', headers, agent: false }, resolve).end(
        JSON.stringify(message),
      );
    });
    await until(() => gateway.neighbours.calls.length === 1);
    const callId = gateway.neighbours.calls[0]?.call_id;
    if (callId === undefined) throw new Error('there is no call');
    const sent = 200;
    for (let progress = 1; progress <= sent; progress += 1)
      gateway.neighbours.progress(callId, { progress, message: 'x'.repeat(100_000) });
    await new Promise((resolve) => setImmediate(resolve));
    let text = '';
    unread.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await new Promise((resolve) => unread.once('close', resolve).on('error', resolve));
    const heard = text.match(/"progress":/g)?.length ?? 0;
    expect(heard).toBeLessThan(sent);
    end();
    await until(() => gateway.neighbours.outcomes.length === 1);
    const last = `${/^id: (\d+)\.0$/m.exec(text)?.[1] ?? ''}.${sent - 5}`;
    const resumed = await Listening.open(client, { headers: { 'last-event-id': last } });
    await until(() => resumed.isOver);
    expect(resumed.messages).toHaveLength(6);
    expect(resumed.messages.at(-1)).toMatchObject({ id: 1, result: {} });
    await gateway.stop();
  });
});
