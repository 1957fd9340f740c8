import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Product } from '@uar/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { admin, approvalWith, clientOf, decide, eventually, toolListed, user } from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
afterAll(() => counters.remove());

interface Connected {
  readonly client: McpClient;
  /** What the client was asked to show its user. */
  readonly asked: unknown[];
}

/** The SDK's own client of revision 2026-07-28; it answers each elicitation with `action` and goes on by itself. */
async function connected(
  product: Product,
  {
    who = admin,
    path = '/mcp',
    action = 'accept' as 'accept' | 'cancel',
    mode = 'pin' as 'pin' | 'auto',
  } = {},
): Promise<Connected> {
  const client = new McpClient(
    { name: 'e2e', version: '1.0.0' },
    {
      capabilities: { elicitation: { url: {} } },
      versionNegotiation: { mode: mode === 'auto' ? 'auto' : { pin: '2026-07-28' } },
    },
  );
  const asked: unknown[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params);
    return { action };
  });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${product.gateway}${path}`), {
      requestInit: { headers: { authorization: `Bearer ${product.token(who)}` } },
    }),
  );
  return { client, asked };
}

onBothBuses(
  'mcp without sessions',
  (bus) => ({
    config: {
      approvals: { mcp_wait_seconds: 1 },
      mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters[bus].file }) } },
    },
  }),
  (product, bus) => {
    const ran = (id: string): number => counters[bus].executions().filter((each) => each === id).length;
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'fix__write');
    });

    keeps(
      ['mcp.stateless', 'mcp.real-clients'],
      'an unmodified client finds the revision, lists and calls',
      async () => {
        for (const [path, tool] of [
          ['/mcp', 'fix__count'],
          ['/mcp/servers/fix', 'count'],
        ] as const) {
          const { client } = await connected(product(), { path, mode: 'auto' });
          expect(client.getProtocolEra()).toBe('modern');
          const { tools } = await client.listTools();
          expect(tools.map(({ name }) => name)).toContain(tool);
          const result = await client.callTool({ name: tool, arguments: { id: path } });
          expect(result.content).toEqual([{ type: 'text', text: `counted ${path}` }]);
          expect(result._meta?.['io.uar/call']).toMatchObject({ outcome: 'completed', effect: 'ran' });
          expect(ran(path)).toBe(1);
          await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({
            code: -32602,
          });
          await client.close();
        }
      },
    );

    keeps(
      ['mcp.stateless', 'mcp.runtime'],
      'what the product itself can do is called without a session',
      async () => {
        const { client } = await connected(product(), { path: '/mcp/uar' });
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toContain('uar_list_tools');
        const result = await client.callTool({ name: 'uar_list_tools', arguments: { server: 'fix' } });
        expect(result.structuredContent).toEqual(
          (await clientOf(product()).get('/api/tools?server=fix')).body,
        );
        await client.close();
      },
    );

    keeps(
      ['mcp.stateless-approval'],
      'a client that waits for a human shows the page, comes back, and the call runs once',
      async () => {
        const { client, asked } = await connected(product(), { who: user });
        const waiting = client.callTool({ name: 'fix__write', arguments: { id: 'stateless' } });
        const approval = await approvalWith(clientOf(product()), 'stateless');
        await eventually(() => Promise.resolve(asked[0]));
        expect(asked[0]).toMatchObject({
          mode: 'url',
          url: `${product().gateway}/approvals/${String(approval['approval_id'])}`,
        });
        expect(ran('stateless')).toBe(0);
        await decide(clientOf(product()), approval, 'approve');
        const result = await waiting;
        expect(result._meta?.['io.uar/call']).toMatchObject({
          outcome: 'completed',
          call_id: String(approval['call_id']),
        });
        expect(ran('stateless')).toBe(1);
        await client.close();
      },
    );

    keeps(['mcp.stateless-approval'], 'what such a client answers is no vote', async () => {
      const { client, asked } = await connected(product(), { who: user, action: 'accept' });
      const waiting = client.callTool({ name: 'fix__write', arguments: { id: 'no-vote' } });
      const approval = await approvalWith(clientOf(product()), 'no-vote');
      await eventually(() => Promise.resolve(asked[1]));
      const { body } = await clientOf(product()).get(`/api/uar/approvals/${String(approval['approval_id'])}`);
      expect(body).toMatchObject({ status: 'pending', votes: [] });
      await decide(clientOf(product()), approval, 'reject');
      expect((await waiting)._meta?.['io.uar/call']).toMatchObject({ outcome: 'approval_rejected' });
      expect(ran('no-vote')).toBe(0);
      await client.close();
    });
  },
);
