import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Product, TokenOptions } from '@uar/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { admin, clientOf, decide, pendingApproval, toolListed, user } from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
afterAll(() => counters.remove());

async function connect(product: Product, who: TokenOptions): Promise<McpClient> {
  const client = new McpClient({ name: 'e2e', version: '1.0.0' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${product.gateway}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${product.token(who)}` } },
    }),
  );
  return client;
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

onBothBuses(
  'mcp',
  (bus) => ({
    config: {
      approvals: { mcp_wait_seconds: 1 },
      mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters[bus].file }, { timeout_ms: 1500 }) } },
    },
  }),
  (product, bus) => {
    const ran = (id: string): number => counters[bus].executions().filter((each) => each === id).length;
    const post = (message: unknown, headers: Record<string, string> = {}, who = admin) =>
      clientOf(product(), who).request('/mcp', {
        body: message,
        headers: { accept: 'application/json, text/event-stream', ...headers },
      });
    const openSession = async (who = admin): Promise<string> => {
      const opened = await post(initialize, {}, who);
      expect(opened.status).toBe(200);
      return opened.headers.get('mcp-session-id') ?? '';
    };
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'fix__count');
    });

    keeps(['mcp.client', 'mcp.forms'], 'an unmodified client lists and calls', async () => {
      const client = await connect(product(), admin);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('fix__count');
      const result = await client.callTool({ name: 'fix__count', arguments: { id: 'mcp' } });
      expect(result.content).toEqual([{ type: 'text', text: 'counted mcp' }]);
      expect(result._meta?.['io.uar/call']).toMatchObject({ outcome: 'completed', effect: 'ran' });
      expect(ran('mcp')).toBe(1);
      await client.close();
    });

    keeps(['mcp.forms'], 'each outcome has its MCP form', async () => {
      const client = await connect(product(), admin);
      const invalid = await client.callTool({ name: 'fix__count', arguments: { id: 7 } });
      expect(invalid.isError).toBe(true);
      expect(invalid._meta?.['io.uar/call']).toMatchObject({
        outcome: 'invalid_arguments',
        effect: 'did_not_run',
      });
      const failed = await client.callTool({ name: 'fix__fail', arguments: {} });
      expect(failed).toMatchObject({ isError: true, content: [{ text: 'the tool failed' }] });
      await expect(client.callTool({ name: 'fix__nothing', arguments: {} })).rejects.toMatchObject({
        code: -32602,
      });
      await expect(client.callTool({ name: 'fix__rpc_error', arguments: {} })).rejects.toMatchObject({
        code: -32050,
      });
      const hung = await client.callTool({ name: 'fix__hang', arguments: {} });
      expect(hung._meta?.['io.uar/call']).toMatchObject({ outcome: 'timeout', effect: 'may_have_run' });
      await client.close();
    });

    keeps(['call.exact-arguments', 'call.exact-result'], 'arguments and results pass as text', async () => {
      const session = await openSession();
      const text = '{"z":1,"s":"\\u00e9","a":1.50e2}';
      const call = (name: string, args: string) =>
        clientOf(product()).request('/mcp', {
          raw: `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"${name}","arguments":${args}}}`,
          headers: { accept: 'application/json, text/event-stream', 'mcp-session-id': session },
        });
      expect((await call('fix__raw', text)).text).toContain(
        JSON.stringify(`"arguments":${text}`).slice(1, -1),
      );
      const odd = (await call('fix__odd', '{}')).text;
      expect(odd).toContain('{"type":"hologram","voxels":12345678901234567890}');
      expect(odd).toContain('"vendor/x":{"keep":false}');
      expect(odd).toContain('"io.uar/call"');
    });

    keeps(['mcp.session'], 'a session belongs to its principal', async () => {
      const session = await openSession();
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      expect((await post(list, { 'mcp-session-id': session })).status).toBe(200);
      expect((await post(list, { 'mcp-session-id': session }, user)).status).toBe(404);
      expect((await post(list, { 'mcp-session-id': 'made-up' })).status).toBe(404);
      expect((await post(list)).status).toBe(400);
      const ended = await clientOf(product()).request('/mcp', {
        method: 'DELETE',
        headers: { 'mcp-session-id': session },
      });
      expect(ended.status).toBe(200);
      expect((await post(list, { 'mcp-session-id': session })).status).toBe(404);
    });

    keeps(['policy.no-way-around'], 'batches, doubled members and doubled ids are refused', async () => {
      const session = { 'mcp-session-id': await openSession() };
      const call = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'fix__count', arguments: { id: 'batch' } },
      };
      expect((await post([call], session)).status).toBe(400);
      const doubled = await clientOf(product()).request('/mcp', {
        raw: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fix__count","name":"fix__fail"}}',
        headers: { accept: 'application/json, text/event-stream', ...session },
      });
      expect(doubled.status).toBe(400);
      const slow = {
        ...call,
        id: 5,
        params: { name: 'fix__count', arguments: { id: 'slow', wait_ms: 400 } },
      };
      const [first, second] = await Promise.all([post(slow, session), post({ ...slow, id: 5 }, session)]);
      expect([first.status, second.status].sort()).toEqual([200, 400]);
      expect(ran('batch')).toBe(0);
    });

    keeps(['mcp.approval'], 'with a progress token the call waits and completes when approved', async () => {
      const client = await connect(product(), user);
      const notes: unknown[] = [];
      const waiting = client.callTool({ name: 'fix__write', arguments: { id: 'mcp-approved' } }, undefined, {
        onprogress: (note) => notes.push(note),
      });
      const approval = await pendingApproval(clientOf(product()), 'fix__write');
      await decide(clientOf(product()), approval, 'approve');
      expect((await waiting)._meta?.['io.uar/call']).toMatchObject({
        outcome: 'completed',
        receipt: { seq: expect.any(Number) },
      });
      expect(notes.length).toBeGreaterThan(0);
      expect(ran('mcp-approved')).toBe(1);
      await client.close();
    });

    keeps(
      ['mcp.approval'],
      'without one it gets an interim answer and runs when the same call comes back',
      async () => {
        const client = await connect(product(), user);
        const call = () => client.callTool({ name: 'fix__write', arguments: { id: 'mcp-interim' } });
        const interim = await call();
        expect(interim.isError).toBe(true);
        expect(interim._meta?.['io.uar/call']).toMatchObject({ outcome: 'pending' });
        const approval = await pendingApproval(clientOf(product()), 'fix__write');
        expect((await decide(clientOf(product()), approval, 'approve')).status).toBe(200);
        expect(ran('mcp-interim')).toBe(0);
        expect((await call())._meta?.['io.uar/call']).toMatchObject({ outcome: 'completed' });
        expect(ran('mcp-interim')).toBe(1);
        await client.close();
      },
    );
  },
);
