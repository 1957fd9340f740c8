import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { TokenOptions } from '@uar/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { z } from 'zod';
import {
  admin,
  approvalWith,
  clientOf,
  decide,
  eventually,
  pendingApproval,
  toolListed,
  user,
} from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
afterAll(() => counters.remove());

const tools = [
  'uar_cancel_run',
  'uar_create_run',
  'uar_decide_approval',
  'uar_explain',
  'uar_get_call',
  'uar_get_run_status',
  'uar_list_agents',
  'uar_list_approvals',
  'uar_list_tools',
  'uar_mcp_health',
];
const Result = z.looseObject({
  isError: z.boolean().optional(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  _meta: z.looseObject({ 'io.uar/call': z.looseObject({ call_id: z.string(), outcome: z.string() }) }),
});

onBothBuses(
  'the endpoint of the runtime',
  (bus) => ({ config: { mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters[bus].file }) } } } }),
  (product, bus) => {
    const ran = (id: string): number => counters[bus].executions().filter((each) => each === id).length;
    const open: Client[] = [];
    const connect = async (who: TokenOptions, path = '/mcp/uar'): Promise<Client> => {
      const client = new Client({ name: 'e2e', version: '1.0.0' });
      const headers = { authorization: `Bearer ${product().token(who)}` };
      const url = new URL(`${product().gateway}${path}`);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
      open.push(client);
      return client;
    };
    const call = async (client: Client, name: string, args: Record<string, unknown> = {}) =>
      Result.parse(await client.callTool({ name, arguments: args }));
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'fix__count');
    });
    afterAll(() => Promise.all(open.map((client) => client.close())));

    keeps(['mcp.runtime'], 'each of its tools is listed there, and nowhere else', async () => {
      const listed = (await (await connect(admin)).listTools()).tools.map(({ name }) => name);
      expect(listed.sort()).toEqual(tools);
      const nobody = await connect({ sub: 'ned', roles: ['user'] }, '/mcp');
      expect((await nobody.listTools()).tools.filter(({ name }) => name.startsWith('uar_'))).toEqual([]);
      await expect(call(nobody, 'uar_list_tools')).rejects.toMatchObject({ code: -32602 });
      const executed = await clientOf(product()).execute('uar_list_tools', {});
      expect([executed.status, executed.body['outcome']]).toEqual([404, 'unknown_tool']);
    });

    keeps(['mcp.runtime'], 'a tool answers what its route answers, and asks its action', async () => {
      const client = await connect(admin);
      const routes = { uar_list_tools: '/api/tools', uar_list_agents: '/api/uar/agents' };
      for (const [name, path] of Object.entries(routes)) {
        const { structuredContent } = await call(client, name);
        expect(structuredContent).toEqual((await clientOf(product()).get(path)).body);
      }
      const health = await call(client, 'uar_mcp_health');
      expect(health.structuredContent).toMatchObject({ connected: 1 });
      const refused = await call(await connect(user), 'uar_mcp_health');
      expect(refused).toMatchObject({
        isError: true,
        structuredContent: { error: { code: 'policy_denied' } },
      });
      const explained = await call(client, 'uar_explain', { tool: 'fix__count', arguments: { id: 'why' } });
      expect(explained.structuredContent).toMatchObject({ decision: 'allow' });
    });

    keeps(['mcp.runtime'], 'a run is opened, read and ended', async () => {
      const client = await connect(user);
      const made = await call(client, 'uar_create_run', { ttl_seconds: 600 });
      const runId = String(made.structuredContent?.['run_id']);
      const read = await call(client, 'uar_get_run_status', { run_id: runId });
      expect(read.structuredContent).toMatchObject({ run_id: runId, status: 'active' });
      await call(client, 'uar_cancel_run', { run_id: runId });
      const after = await call(client, 'uar_get_run_status', { run_id: runId });
      expect(after.structuredContent).toMatchObject({ status: 'cancelled' });
      const other = await call(await connect({ sub: 'otto', roles: ['user'] }), 'uar_get_run_status', {
        run_id: runId,
      });
      expect(other).toMatchObject({ isError: true, structuredContent: { error: { code: 'not_found' } } });
    });

    keeps(['mcp.runtime'], 'a person decides an approval there, and the vote is on record', async () => {
      const waiting = clientOf(product(), user).execute('fix__write', { id: 'by-tool' });
      await approvalWith(clientOf(product()), 'by-tool');
      const client = await connect(admin);
      const { structuredContent } = await call(client, 'uar_list_approvals', {
        status: 'pending',
        limit: 10,
      });
      const [approval] = z
        .array(z.looseObject({ approval_id: z.string() }))
        .parse(structuredContent?.['approvals']);
      const voted = await call(client, 'uar_decide_approval', {
        approval_id: approval?.approval_id,
        decision: 'approve',
      });
      expect(voted.isError).toBe(false);
      const { body } = await waiting;
      expect([body['outcome'], ran('by-tool')]).toEqual(['completed', 1]);
      const found = await call(await connect(user), 'uar_get_call', { call_id: String(body['call_id']) });
      expect(found.structuredContent).toMatchObject({ outcome: 'completed' });
      const { call_id } = voted._meta['io.uar/call'];
      const { receipts } = z
        .object({ receipts: z.array(z.looseObject({ call_id: z.string().optional(), kind: z.string() })) })
        .parse((await clientOf(product()).get('/api/uar/receipts?limit=1000')).body);
      const own = receipts.filter((receipt) => receipt.call_id === call_id);
      expect(own.map(({ kind }) => kind)).toEqual(['intent', 'outcome']);
      expect(own[1]).toMatchObject({
        tool: { server: 'uar-runtime', raw_name: 'uar_decide_approval' },
        host: { kind: 'gateway' },
        outcome: 'completed',
      });
    });

    keeps(['mcp.runtime'], 'what the scopes of its run take away is neither listed nor called', async () => {
      const client = await connect(admin);
      const policy = (tools: object) =>
        clientOf(product()).request('/api/uar/settings/run-policy', { method: 'PUT', body: tools });
      const lists = async (): Promise<boolean> =>
        (await client.listTools()).tools.some(({ name }) => name === 'uar_explain');
      await policy({ tools: { mode: 'all', denied_ids: ['uar_explain'] } });
      await eventually(async () => ((await lists()) ? undefined : true));
      expect((await client.listTools()).tools).toHaveLength(tools.length - 1);
      const refused = await call(client, 'uar_explain', { tool: 'fix__count' });
      expect(refused._meta['io.uar/call'].outcome).toBe('run_denied');
      await policy({});
      await eventually(async () => ((await lists()) ? true : undefined));
    });

    keeps(['mcp.runtime'], 'an id that has no encoding in a path is one that is not there', async () => {
      const waiting = call(await connect(user), 'uar_get_run_status', { run_id: '\ud800' });
      const approval = await pendingApproval(clientOf(product()), 'uar_get_run_status');
      await decide(clientOf(product()), approval, 'approve');
      expect(await waiting).toMatchObject({ structuredContent: { error: { code: 'not_found' } } });
    });

    keeps(['mcp.runtime'], 'what does not fit is refused before it is a request', async () => {
      const client = await connect(admin);
      for (const args of [{}, { run_id: 7 }, { run_id: 'x', also: true }]) {
        const refused = await call(client, 'uar_get_run_status', args);
        expect(refused._meta['io.uar/call'].outcome).toBe('invalid_arguments');
      }
      const escaped = await call(client, 'uar_get_run_status', { run_id: '../../healthz?x=' });
      expect(escaped.structuredContent).toMatchObject({ error: { code: 'not_found' } });
      const forged = await fetch(`${product().gateway}/api/tools`, {
        headers: { authorization: `uar-own ${'A'.repeat(43)}` },
      });
      expect(forged.status).toBe(401);
    });
  },
);
