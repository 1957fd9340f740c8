import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect } from 'vitest';
import { runCli } from '../../cli.js';
import { admin, clientAt, clientOf, toolListed } from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
afterAll(() => counters.remove());

onBothBuses(
  'scopes of tokens',
  (bus) => ({ config: { mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters[bus].file }) } } } }),
  (product, bus) => {
    const scoped = (...scopes: string[]) => clientOf(product(), { ...admin, scopes });
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'fix__count');
    });

    keeps(['identity.scopes'], 'each covers its part of the HTTP API', async () => {
      const places = {
        'tools:read': '/api/tools',
        'approvals:decide': '/api/uar/approvals',
        admin: '/api/uar/receipts',
      };
      for (const [scope, place] of Object.entries(places)) {
        const client = scoped(scope);
        for (const path of Object.values(places)) {
          const { status, body } = await client.get(path);
          expect([scope, path, status]).toEqual([scope, path, path === place ? 200 : 403]);
          if (path !== place) expect(body['error']).toMatchObject({ code: 'insufficient_scope' });
        }
        const refused = await client.execute('fix__count', { id: `${bus}-${scope}` });
        expect([refused.status, refused.body['error']?.['details']]).toEqual([
          403,
          { required: ['tools:call'] },
        ]);
      }
      expect(counters[bus].executions()).toEqual([]);
    });

    keeps(['identity.scopes'], 'a token of the command line is held to those it asked for', async () => {
      const minted = async (scopes: string) =>
        clientAt(
          product().gateway,
          (await runCli(product(), ['token', '--scopes', scopes])).stdout.trim(),
        ).execute('fix__count', { id: `${bus}-cli` });
      const before = counters[bus].executions().length;
      expect((await minted('tools:read,admin')).status).toBe(403);
      expect(counters[bus].executions().length).toBe(before);
      expect((await minted('tools:call')).status).toBe(200);
      expect((await runCli(product(), ['token', '--scopes', ','])).code).toBe(2);
    });

    keeps(['identity.scopes'], 'an MCP client is told what to ask for, and goes on with it', async () => {
      const connected = async (...scopes: string[]) => {
        const challenges: (string | null)[] = [];
        const headers = { authorization: `Bearer ${product().token({ ...admin, scopes })}` };
        const client = new McpClient({ name: 'e2e', version: '1.0.0' });
        const transport = new StreamableHTTPClientTransport(new URL(`${product().gateway}/mcp`), {
          requestInit: { headers },
          fetch: async (url, init) => {
            const answer = await fetch(url, init);
            if (answer.status === 403) challenges.push(answer.headers.get('www-authenticate'));
            return answer;
          },
        });
        await client.connect(transport);
        return { client, challenges };
      };
      const call = { name: 'fix__count', arguments: { id: `${bus}-mcp` } };
      const reader = await connected('tools:read');
      expect((await reader.client.listTools()).tools.map(({ name }) => name)).toContain('fix__count');
      await expect(reader.client.callTool(call)).rejects.toThrow();
      const [challenge = ''] = reader.challenges;
      expect(challenge).toContain('error="insufficient_scope"');
      expect(challenge).not.toContain('resource_metadata');
      expect(counters[bus].executions()).not.toContain(`${bus}-mcp`);
      await reader.client.close();

      const wanted = /scope="([^"]+)"/.exec(challenge ?? '')?.[1]?.split(' ') ?? [];
      expect(wanted).toEqual(['tools:call', 'tools:read']);
      const stepped = await connected(...wanted);
      expect((await stepped.client.callTool(call))._meta?.['io.uar/call']).toMatchObject({
        outcome: 'completed',
      });
      expect(counters[bus].executions().filter((id) => id === `${bus}-mcp`)).toHaveLength(1);
      await stepped.client.close();
    });
  },
);
