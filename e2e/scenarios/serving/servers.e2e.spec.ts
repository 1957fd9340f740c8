import { execFileSync } from 'node:child_process';
import { startProduct } from '@uar/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Body, clientOf, eventually, toolListed, user } from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
afterAll(() => counters.remove());

const body = (env = {}, more = {}): Record<string, unknown> => fixtureServer(env, more);

onBothBuses(
  'servers',
  () => ({
    config: {
      mcp: {
        servers: {
          odd: body({ MODE: 'odd-names' }),
          pages: body({ MODE: 'pages' }),
          loop: body({ MODE: 'same-cursor' }),
          noisy: body({ MODE: 'noisy' }),
        },
      },
    },
  }),
  (product, bus) => {
    const put = (name: string, value: unknown, query = '') =>
      clientOf(product()).request(`/api/uar/mcp/servers/${name}${query}`, { method: 'PUT', body: value });
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'odd__fine');
    });

    keeps(['servers.put'], 'a server put by API serves its tools until it is deleted', async () => {
      const client = clientOf(product());
      const created = await put('late', body({ COUNT_FILE: counters[bus].file, API_KEY: 'literal-value' }));
      expect(created.status).toBe(201);
      expect(created.body).toMatchObject({
        name: 'late',
        env_keys: ['API_KEY', 'COUNT_FILE'],
        transport: 'stdio',
      });
      expect(created.text).not.toContain('literal-value');
      expect(created.body['warnings']).toEqual([
        expect.objectContaining({ code: 'literal_secret', key: 'API_KEY' }),
      ]);
      await toolListed(client, 'late__count');
      expect((await client.execute('late__count', { id: 'late' })).body['outcome']).toBe('completed');
      expect((await put('late', body({ COUNT_FILE: counters[bus].file }))).status).toBe(200);
      expect((await client.request('/api/uar/mcp/servers/late', { method: 'DELETE' })).body).toEqual({
        deleted: true,
      });
      expect((await client.get('/api/uar/mcp/servers/late')).status).toBe(404);
      await eventually(async () =>
        (await client.get('/api/tools/late__count')).status === 404 ? true : undefined,
      );
      expect((await client.execute('late__count', {})).status).toBe(404);
    });

    keeps(['servers.refusals'], 'names, placeholders and dead servers are refused distinctly', async () => {
      const codes = async (name: string, value: unknown): Promise<[number, string]> => {
        const answer = await put(name, value);
        return [answer.status, String(answer.body['error']?.['code'])];
      };
      expect((await codes('native', body()))[0]).toBe(409);
      expect((await codes('ODD', body()))[0]).toBe(409);
      expect((await codes('odd.', body()))[0]).toBe(409);
      expect((await codes('fresh.', body()))[0]).toBe(400);
      expect((await codes('fresh', { transport: 'stdio' }))[0]).toBe(400);
      expect((await codes('fresh', { ...body(), unknown: 1 }))[0]).toBe(400);
      const missing = await put('fresh', body({ A: '${NO_SUCH_ONE}', B: '${NO_SUCH_TWO}' }));
      expect(missing.status).toBe(422);
      expect(missing.body['error']).toMatchObject({
        code: 'placeholder_unresolved',
        details: { missing: ['NO_SUCH_ONE', 'NO_SUCH_TWO'] },
      });
      expect(await codes('fresh', { transport: 'stdio', command: 'no-such-command-anywhere' })).toEqual([
        422,
        'connect_failed',
      ]);
      expect((await clientOf(product()).get('/api/uar/mcp/servers/fresh')).status).toBe(404);
      expect((await clientOf(product(), user).get('/api/uar/mcp/servers')).status).toBe(403);
      expect((await clientOf(product(), user).get('/api/uar/mcp/health')).status).toBe(403);
    });

    keeps(['catalog.pages'], 'all pages are listed, and a cursor that repeats ends the walk', async () => {
      const client = clientOf(product());
      await toolListed(client, 'pages__page_2');
      await toolListed(client, 'loop__first');
      const { body: list } = await client.get('/api/tools?server=pages');
      expect((list['tools'] as unknown as Body[]).map(({ name }) => name)).toEqual([
        'pages__page_0',
        'pages__page_1',
        'pages__page_2',
      ]);
      const { body: all } = await client.get('/api/tools');
      const incomplete = all['incomplete'] as unknown as { server: string; reason: string }[];
      expect(incomplete.find(({ server }) => server === 'loop')?.reason).toMatch(/cursor/);
    });

    keeps(
      ['catalog.names'],
      'odd raw names become distinct callable names, doubled ones are refused',
      async () => {
        const client = clientOf(product());
        const { body: list } = await client.get('/api/tools?server=odd');
        const tools = list['tools'] as unknown as { name: string; raw_name: string }[];
        const raw = tools.map(({ raw_name: name }) => name);
        expect(new Set(tools.map(({ name }) => name)).size).toBe(7);
        expect(raw).toContain('名前');
        expect(raw).not.toContain('twice');
        for (const { name, raw_name: rawName } of tools) {
          expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
          const { body: call } = await client.execute(name);
          expect(call['result'], name).toEqual({ content: [{ type: 'text', text: rawName }] });
        }
        const incomplete = list['incomplete'] as unknown as { server: string; reason: string }[];
        expect(incomplete.find(({ server }) => server === 'odd')?.reason).toContain('twice');
      },
    );

    keeps(['stdio.hostile'], 'a noisy server works', async () => {
      await toolListed(clientOf(product()), 'noisy__count');
      expect((await clientOf(product()).execute('noisy__count', {})).body['outcome']).toBe('completed');
    });
  },
);

onBothBuses(
  'servers after a restart',
  () => ({ config: {} }),
  (product, bus) => {
    keeps(['servers.restart'], 'a server set by API is there again', async () => {
      const client = clientOf(product());
      await client.request('/api/uar/mcp/servers/kept', { method: 'PUT', body: body() });
      await toolListed(client, 'kept__count');
      await product().stop({ keepData: true });
      const again = await startProduct({ bus, config: {}, dataDir: product().dataDir });
      await toolListed(clientOf(again), 'kept__count');
      await again.stop();
    });
  },
);

onBothBuses(
  'stdio children',
  () => ({
    config: { mcp: { servers: { stubborn: body({ MODE: 'stubborn', MARK: 'e2e-stubborn-child' }) } } },
  }),
  (product) => {
    keeps(
      ['stdio.hostile', 'start.stop'],
      'a child that ignores SIGTERM does not outlive the product',
      async () => {
        await toolListed(clientOf(product()), 'stubborn__count');
        expect(await product().stop({ keepData: true })).toBe(0);
        expect(processesOf(product().dataDir)).toEqual([]);
      },
    );
  },
);

/** Living processes of that product: those whose environment names its data folder or the stubborn child's mark. */
function processesOf(dataDir: string): string[] {
  const found = execFileSync('sh', [
    '-c',
    `grep -la -e "${dataDir}" -e e2e-stubborn-child /proc/[0-9]*/environ 2>/dev/null || true`,
  ]);
  return found
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(`/proc/${process.pid}/`));
}
