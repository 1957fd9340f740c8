import { startProduct, type Product } from '@uar/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { clientOf, toolListed, user } from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses, type Bus } from '../../on-both-buses.js';

const counters = createCounters();
afterAll(() => counters.remove());

const monthMs = 31 * 86_400_000;
const quota = { name: 'monthly', per: 'principal', calls: 60, window_seconds: monthMs / 1_000 };
const rate = { name: 'counts', per: 'principal', calls: 1, window_seconds: 5, burst: 2 };

const configOf = (bus: Bus) => ({
  mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters[bus].file }) } },
  limits: {
    rates: [{ ...rate, match: { tools: ['fix__cou*'] } }],
    quotas: [{ ...quota, match: { tools: ['fix__raw'] } }],
  },
});

onBothBuses(
  'limits',
  (bus) => ({ config: configOf(bus) }),
  (product, bus) => {
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'fix__count');
    });
    const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

    keeps(
      ['limits.rate'],
      'a burst passes, the rest is told how long to wait, and that is right',
      async () => {
        const client = clientOf(product(), { sub: 'burst', roles: ['admin'] });
        const call = () => client.execute('fix__count', { id: 'burst' });
        const answers = await Promise.all(Array.from({ length: 10 }, call));
        const limited = answers.filter(({ status }) => status === 429);
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
        expect(limited).toHaveLength(8);
        expect(counters[bus].executions()).toHaveLength(2);
        const last = limited.at(-1);
        expect(last?.body).toMatchObject({ outcome: 'rate_limited', effect: 'did_not_run', success: false });
        const seconds = Number(last?.headers.get('retry-after'));
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(seconds).toBeLessThanOrEqual(5);
        expect((await clientOf(product(), user).execute('fix__count', {})).status).toBe(200);
        expect((await client.execute('fix__raw')).status).toBe(200);
        await wait(seconds * 1_000);
        expect((await call()).status).toBe(200);
      },
    );

    keeps(
      ['call.idempotency-retry'],
      'a call that was limited is made with the same key once it may, and once only',
      async () => {
        const client = clientOf(product(), { sub: 'retry', roles: ['admin'] });
        const before = counters[bus].executions().length;
        const call = (key: string) =>
          client.request('/api/tools/fix__count/execute', {
            body: { arguments: { id: 'retry' } },
            headers: { 'idempotency-key': `${key}-${bus}` },
          });
        await Promise.all([call('a'), call('b')]);
        const limited = await call('c');
        expect([limited.status, String(limited.body['outcome'])]).toEqual([429, 'rate_limited']);
        await wait(Number(limited.headers.get('retry-after')) * 1_000);
        const again = await call('c');
        expect(again.status).toBe(200);
        expect((await call('c')).body['call_id']).toEqual(again.body['call_id']);
        expect(counters[bus].executions()).toHaveLength(before + 3);
      },
    );

    keeps(['limits.burst'], 'a burst of policies is never unavailable', async () => {
      const client = clientOf(product());
      const path = '/api/uar/governance';
      const { body: view } = await client.get(`${path}/policies`);
      const own = (view['policies'] as unknown as { id: string; tier: string; text: string }[]).filter(
        ({ tier }) => tier === 'tenant',
      );
      const policies = Object.fromEntries(own.map(({ id, text }) => [id, text]));
      const if_version = String(view['version']);
      const statuses = async (count: number, ask: () => ReturnType<typeof client.request>) => {
        const answers = await Promise.all(Array.from({ length: count }, ask));
        const waits = answers.filter(({ status }) => status === 429);
        expect(waits.every(({ headers }) => Number(headers.get('retry-after')) >= 1)).toBe(true);
        return new Set(answers.map(({ status }) => status));
      };
      const puts = await statuses(20, () =>
        client.request(`${path}/policies`, { method: 'PUT', body: { policies, if_version, dry_run: true } }),
      );
      expect(puts).toEqual(new Set([200]));
      const proposed = await statuses(150, () =>
        client.request(`${path}/proposals`, { method: 'POST', body: { policies, if_version } }),
      );
      expect(proposed.has(201)).toBe(true);
      expect([...proposed].filter((status) => ![201, 409, 429].includes(status))).toEqual([]);
    });

    keeps(['limits.rate'], 'over MCP it is a result with isError and the time to wait', async () => {
      const client = clientOf(product(), { sub: 'model', roles: ['admin'] });
      const accept = { accept: 'application/json, text/event-stream' };
      const initialize = {
        ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'e2e', version: '1' },
        },
      };
      const opened = await client.request('/mcp', { body: initialize, headers: accept });
      const headers = { ...accept, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      const call = (id: number) =>
        client.request('/mcp', {
          body: { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'fix__count', arguments: {} } },
          headers,
        });
      await Promise.all([call(2), call(3)]);
      const { text } = await call(4);
      const frame = text.startsWith('{') ? text : (/^data: (.+)$/m.exec(text)?.[1] ?? '');
      expect(JSON.parse(frame)).toMatchObject({
        id: 4,
        result: {
          isError: true,
          _meta: { 'io.uar/call': { outcome: 'rate_limited', effect: 'did_not_run' } },
        },
      });
      expect(JSON.parse(frame).result._meta['io.uar/call'].retry_after_ms).toBeGreaterThan(0);
    });

    keeps(
      ['limits.quota'],
      'a quota is used up across a restart, and says when its window ends',
      async () => {
        const passed = async (of: Product, tries: number) => {
          const client = clientOf(of, { sub: 'monthly', roles: ['admin'] });
          const answers = await Promise.all(Array.from({ length: tries }, () => client.execute('fix__raw')));
          const limited = answers.filter(({ status }) => status === 429);
          return { count: answers.filter(({ status }) => status === 200).length, limited };
        };
        expect(await passed(product(), 41)).toEqual({ count: 41, limited: [] });
        await product().stop({ keepData: true });
        const again = await startProduct({ bus, config: configOf(bus), dataDir: product().dataDir });
        try {
          await toolListed(clientOf(again), 'fix__raw');
          const { count, limited } = await passed(again, 30);
          expect(count).toBe(19);
          expect(limited).toHaveLength(11);
          expect(limited[0]?.body).toMatchObject({ outcome: 'rate_limited', effect: 'did_not_run' });
          const seconds = Number(limited[0]?.headers.get('retry-after'));
          expect(Math.abs(seconds * 1_000 - (monthMs - (Date.now() % monthMs)))).toBeLessThan(60_000);
          expect((await clientOf(again, { sub: 'other', roles: ['admin'] }).execute('fix__raw')).status).toBe(
            200,
          );
        } finally {
          await again.stop();
        }
      },
    );
  },
);
