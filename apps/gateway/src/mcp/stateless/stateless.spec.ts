import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until } from '../../http-spec/gateway.fixture.js';
import { RawClient } from '../raw-client.fixture.js';
import { revision, StatelessClient } from './stateless-client.fixture.js';

const serverInfo = { name: 'uar', title: 'UAR tool plane', version: '0.1.0' };
const supported = [revision, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

describe.each([
  ['/mcp', 'srv__echo'],
  ['/mcp/servers/srv', 'echo'],
])('%s without sessions', (path, echo) => {
  let gateway: Gateway;
  let client: StatelessClient;
  beforeAll(async () => {
    gateway = await Gateway.start();
    client = new StatelessClient(gateway, { path });
  });
  beforeEach(() => {
    gateway.neighbours.calls.length = 0;
  });
  afterAll(() => gateway.stop());

  it('says what it speaks and has', async () => {
    const { status, headers, messages } = await client.request('server/discover', {}, { id: 'd' });
    expect([status, headers.get('content-type'), headers.get('mcp-session-id')]).toEqual([
      200,
      'application/json',
      null,
    ]);
    const result = {
      resultType: 'complete',
      supportedVersions: supported,
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
      ttlMs: 60_000,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    };
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 'd', result }]);
  });

  it('lists as the sessions do, to be kept for this caller alone', async () => {
    const session = await RawClient.open(gateway, { path });
    const [listed] = (await session.request('tools/list')).messages;
    const [message] = (await client.request('tools/list')).messages;
    expect(message?.['result']).toEqual({
      ...listed?.['result'],
      resultType: 'complete',
      ttlMs: 10_000,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
    });
    const bad = await client.request('tools/list', { cursor: 'x' });
    expect([bad.status, bad.messages[0]?.['error']?.['code']]).toEqual([200, -32602]);
  });

  it('calls in the implicit run, and says itself that the result is whole', async () => {
    gateway.neighbours.run = () => ({
      kind: 'ran',
      result_json: '{"content":[],"resultType":"input_required","requestState":"x","odd":1.50}',
      is_error: false,
    });
    const { headers, messages, text } = await client.call(echo, { n: 1 });
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(messages).toMatchObject([
      {
        id: 1,
        result: { content: [], resultType: 'complete', _meta: { 'io.uar/call': { outcome: 'completed' } } },
      },
    ]);
    expect(text).toContain('"odd":1.50');
    await gateway.execute('srv__echo', { arguments: {} });
    const runs = gateway.neighbours.receipts.slice(-2).map(({ run_id }) => run_id);
    expect([runs[0], new Set(runs).size]).toEqual([expect.stringMatching(/^run_/), 1]);
  });

  it('passes progress on, under the token of the request', async () => {
    let end: () => void = () => undefined;
    gateway.neighbours.run = async ({ call_id }) => {
      gateway.neighbours.progress(call_id, { progress: 1, message: 'half' });
      await new Promise<void>((resolve) => (end = resolve));
      return { kind: 'ran', result_json: '{"content":[]}', is_error: false };
    };
    const stream = await client.open(
      'tools/call',
      { name: echo, arguments: {} },
      { meta: { progressToken: 'p' } },
    );
    expect(await stream.said(1)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progress: 1, message: 'half', progressToken: 'p' },
      },
    ]);
    end();
    expect((await stream.said(2))[1]).toMatchObject({ id: 1, result: { resultType: 'complete' } });
  });

  it('takes a closed connection for a cancellation', async () => {
    let end: () => void = () => undefined;
    gateway.neighbours.run = async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return { kind: 'cancelled', dispatched: true };
    };
    gateway.neighbours.cancelled.length = 0;
    const abort = client.abortable('tools/call', { name: echo, arguments: {} });
    await until(() => gateway.neighbours.calls.length === 1);
    abort();
    await until(() => gateway.neighbours.cancelled.length === 1);
    end();
  });

  it('answers a name that nobody has as the sessions do', async () => {
    const { status, messages } = await client.call('none', {});
    expect([status, messages[0]?.['error']?.['code']]).toEqual([200, -32602]);
  });

  it.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'no/such'])(
    'knows no %s',
    async (method) => {
      const { status, messages } = await client.request(method, {}, { id: 7 });
      expect([status, messages]).toMatchObject([404, [{ id: 7, error: { code: -32601 } }]]);
    },
  );

  it('takes a notification and does nothing about it', async () => {
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    const { status, text } = await client.send(message, { 'mcp-protocol-version': revision });
    expect([status, text]).toEqual([202, '']);
    const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: echo, arguments: {} } };
    expect((await client.send(call, { 'mcp-protocol-version': revision })).status).toBe(202);
    expect(gateway.neighbours.calls).toEqual([]);
  });

  it.each(['GET', 'DELETE', 'PUT'])('knows no %s', async (method) => {
    const answer = await new RawClient(gateway, { path }).begin(method, {
      headers: { 'mcp-protocol-version': revision },
    });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it.each([
    ['application/json', 406],
    ['text/event-stream', 406],
    ['*/*', 200],
  ])('answers a POST that accepts %s with %i', async (accept, status) => {
    expect((await client.request('tools/list', {}, { headers: { accept } })).status).toBe(status);
  });

  it('asks policy for lists, and calls with the question of calls alone', async () => {
    gateway.neighbours.may = ({ kind }) => kind !== 'list_tools';
    gateway.neighbours.run = () => ({ kind: 'ran', result_json: '{"content":[]}', is_error: false });
    const statuses = [];
    for (const method of ['server/discover', 'tools/list'])
      statuses.push((await client.request(method)).status);
    statuses.push((await client.call(echo, {})).status);
    gateway.neighbours.may = () => true;
    expect(statuses).toEqual([403, 403, 200]);
  });
});
