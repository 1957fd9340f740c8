import { expect } from 'vitest';
import { clientOf, toolListed } from '../../client.js';
import { keeps } from '../../keeps.js';
import { fixtureServer, onBothBuses } from '../../on-both-buses.js';

onBothBuses(
  'a huge list',
  () => ({ config: { mcp: { servers: { fix: fixtureServer() } } } }),
  (product) => {
    keeps(
      ['catalog.huge-list'],
      'is listed whole while calls of others go on',
      async () => {
        const client = clientOf(product());
        await toolListed(client, 'fix__count');
        const put = client.request('/api/uar/mcp/servers/huge', {
          method: 'PUT',
          body: fixtureServer({ MODE: 'huge' }),
        });
        const last = '/api/tools/huge__huge_4999';
        const start = performance.now();
        let longestMs = 0;
        while ((await client.get(last)).status !== 200 && performance.now() - start < 120_000) {
          const before = performance.now();
          expect((await client.execute('fix__count', {})).body['outcome']).toBe('completed');
          longestMs = Math.max(longestMs, performance.now() - before);
        }
        await put;
        expect(longestMs).toBeLessThan(5_000);
        const { body } = await client.get('/api/tools?server=huge&limit=5000');
        expect(body['tools']).toHaveLength(5_000);
      },
      180_000,
    );
  },
);
