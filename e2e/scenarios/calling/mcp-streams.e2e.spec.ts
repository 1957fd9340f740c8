import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { startProduct } from '@uar/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { admin, type Answer, type Body, clientAt, clientOf, eventually, toolListed } from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
afterAll(() => counters.remove());

const accept = { accept: 'application/json, text/event-stream' };
const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});
const count = (id: string | number, args: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'fix__count', arguments: args },
});
const messages = ({ text }: Pick<Answer, 'text'>): Body[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data));

interface Session {
  readonly headers: Readonly<Record<string, string>>;
  post(message: unknown): Promise<Answer>;
}

async function open(gateway: string, token: string, revision = '2025-11-25'): Promise<Session> {
  const client = clientAt(gateway, token);
  const opened = await client.request('/mcp', { body: initialize(revision), headers: accept });
  expect(opened.status).toBe(200);
  const headers = { ...accept, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  return { headers, post: (body) => client.request('/mcp', { body, headers }) };
}

onBothBuses(
  'streams of mcp',
  (bus) => ({ config: { mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters[bus].file }) } } } }),
  (product, bus) => {
    const ran = (id: string): number => counters[bus].executions().filter((each) => each === id).length;
    const session = (revision?: string) => open(product().gateway, product().token(admin), revision);
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'fix__count');
    });

    keeps(
      ['mcp.resume'],
      'a client that lost its stream gets the answer on another, of one execution',
      async () => {
        const { headers } = await session();
        const abort = new AbortController();
        const body = JSON.stringify(count('lost', { id: 'lost', wait_ms: 500 }));
        const sent = { ...headers, authorization: `Bearer ${product().token(admin)}` };
        const lost = await fetch(`${product().gateway}/mcp`, {
          method: 'POST',
          headers: { ...sent, 'content-type': 'application/json' },
          body,
          signal: abort.signal,
        });
        const { value } = (await lost.body?.getReader().read()) ?? {};
        const [, id = ''] =
          /^id: (\S+)\nretry: \d+\ndata: \n\n$/.exec(Buffer.from(value ?? []).toString()) ?? [];
        abort.abort();
        const resumed = await fetch(`${product().gateway}/mcp`, {
          headers: { ...sent, 'last-event-id': id },
        });
        expect(messages({ text: await resumed.text() })).toMatchObject([
          { id: 'lost', result: { content: [{ text: 'counted lost' }] } },
        ]);
        expect(ran('lost')).toBe(1);
      },
    );

    keeps(
      ['mcp.batch'],
      'a batch is calls like others in 2025-03-26, and nothing in later revisions',
      async () => {
        const batch = [count(0, { id: 'batched' }), count(1, { id: 7 })];
        const answered = messages(await (await session('2025-03-26')).post(batch));
        const outcomes = answered.map(({ id, result }) => [
          id,
          result?.['_meta']?.['io.uar/call']?.['outcome'],
        ]);
        expect(new Map(outcomes as unknown as [number, string][])).toEqual(
          new Map([
            [0, 'completed'],
            [1, 'invalid_arguments'],
          ]),
        );
        expect((await (await session('2025-06-18')).post(batch)).status).toBe(400);
        expect(ran('batched')).toBe(1);
      },
    );

    keeps(['mcp.pair'], 'a client of the first transport lists and calls at the same URL', async () => {
      const client = new McpClient({ name: 'old', version: '1.0.0' });
      const headers = { authorization: `Bearer ${product().token(admin)}` };
      await client.connect(
        new SSEClientTransport(new URL(`${product().gateway}/mcp`), { requestInit: { headers } }),
      );
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('fix__count');
      await client.callTool({ name: 'fix__count', arguments: { id: 'pair' } });
      expect(ran('pair')).toBe(1);
      await client.close();
    });

    keeps(['mcp.end'], 'DELETE ends a session and the calls in it', async () => {
      const { headers, post } = await session();
      const running = post(count(1, { id: 'ended', wait_ms: 20_000 }));
      const receipts = async (): Promise<Body[]> => {
        const { body } = await clientOf(product()).get('/api/uar/receipts?limit=500');
        return (body['receipts'] ?? []) as unknown as Body[];
      };
      await eventually(async () => (ran('ended') === 1 ? true : undefined));
      const ended = await clientOf(product()).request('/mcp', { method: 'DELETE', headers });
      expect(ended.status).toBe(200);
      expect(messages(await running)).toEqual([]);
      await eventually(async () =>
        (await receipts()).find(({ outcome }) => String(outcome) === 'cancelled_after_dispatch'),
      );
      expect((await post(count(2, { id: 'after' }))).status).toBe(404);
    });
  },
);

keeps(['mcp.restart'], 'after a restart sessions are 404, and clients begin anew', async () => {
  const config = { mcp: { servers: { fix: fixtureServer() } } };
  const first = await startProduct({ bus: 'inprocess', config });
  const { headers } = await open(first.gateway, first.token(admin));
  await first.stop({ keepData: true });
  const second = await startProduct({ bus: 'inprocess', config, dataDir: first.dataDir });
  const client = clientOf(second);
  const stale = await client.request('/mcp', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    headers,
  });
  expect([stale.status, String(stale.body['error']?.['code'])]).toEqual([404, '-32001']);
  await toolListed(client, 'fix__count');
  const anew = await open(second.gateway, second.token(admin));
  expect((await anew.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).text).toContain('fix__count');
  await second.stop();
});
