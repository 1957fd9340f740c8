import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until } from '../http-spec/gateway.fixture.js';
import { Listening } from './listening.fixture.js';
import { RawClient } from './raw-client.fixture.js';

describe('HTTP with SSE of 2024-11-05', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await Gateway.start();
  });
  afterEach(() => gateway.stop());

  it.each([
    ['/mcp', 'srv__echo'],
    ['/mcp/servers/srv', 'echo'],
  ])('serves an old client at %s', async (path, name) => {
    const client = new Client({ name: 'old', version: '1' });
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes += 1;
    });
    const headers = { authorization: `Bearer ${gateway.token()}` };
    await client.connect(
      new SSEClientTransport(new URL(`${gateway.url}${path}`), { requestInit: { headers } }),
    );
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain(name);
    const answers = await Promise.all([1, 2].map((n) => client.callTool({ name, arguments: { n } })));
    expect(answers.map(({ content }) => content)).toEqual(
      [1, 2].map((n) => [{ type: 'text', text: `{"n":${n}}` }]),
    );
    gateway.neighbours.policiesChanged();
    await until(() => changes === 1);
    await client.close();
  });

  async function opened(
    token = gateway.token(),
  ): Promise<{ stream: Listening; client: RawClient; path: string }> {
    const opening = new RawClient(gateway, { token });
    const stream = await Listening.open(opening, { headers: { accept: 'text/event-stream' } });
    await until(() => stream.text.includes('\n\n'));
    const [, path = ''] = /^event: endpoint\ndata: (\S+)\n\n/.exec(stream.text) ?? [];
    return { stream, client: new RawClient(gateway, { path, token }), path };
  }
  const greeting = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  };
  const message = (text: string) => JSON.parse(text.split('data: ').at(-1) ?? '');

  it('says where to post to, takes with 202 and answers on the stream', async () => {
    const { stream, client, path } = await opened();
    expect(path).toMatch(/^\/mcp\?sessionId=[0-9a-f-]{36}$/);
    const { status, text } = await client.post(greeting, { accept: '*/*' });
    expect([status, text]).toEqual([202, '']);
    await until(() => stream.text.includes('"id":0'));
    expect(message(stream.text)).toMatchObject({ id: 0, result: { protocolVersion: '2024-11-05' } });
    expect((await client.post(greeting)).status).toBe(400);
    expect((await client.post([{ jsonrpc: '2.0', id: 1, method: 'ping' }])).status).toBe(400);
    expect((await client.request('ping', {}, 2)).status).toBe(202);
    await until(() => stream.text.includes('"id":2'));
    expect(stream.text).not.toMatch(/^id:/m);
    stream.close();
  });

  it('knows its session for its principal, at its stream and as long as that stands', async () => {
    const { stream, client, path } = await opened();
    await client.post(greeting);
    const eve = new RawClient(gateway, { path, token: gateway.token('eve') });
    const elsewhere = new RawClient(gateway, { path: path.replace('/mcp', '/mcp/servers/srv') });
    const asStreamable = new RawClient(gateway);
    asStreamable.session = path.split('=')[1] ?? '';
    for (const other of [eve, elsewhere, asStreamable])
      expect((await other.request('ping')).status).toBe(404);
    stream.close();
    await until(async () => (await client.request('ping')).status === 404);
  });

  it('is not taken for it when a client of later revisions forgets its session', async () => {
    const client = new RawClient(gateway);
    expect((await client.send('GET', { 'mcp-protocol-version': '2025-06-18' })).status).toBe(400);
    expect((await client.send('GET', { accept: 'application/json' })).status).toBe(406);
    gateway.neighbours.may = () => false;
    expect((await client.send('GET')).status).toBe(403);
  });
});
