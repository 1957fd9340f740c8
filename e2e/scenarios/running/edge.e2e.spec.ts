import { connect } from 'node:net';
import { beforeAll, expect } from 'vitest';
import { clientOf, toolListed } from '../../client.js';
import { keeps } from '../../keeps.js';
import { fixtureServer, onBothBuses } from '../../on-both-buses.js';

onBothBuses(
  'edge',
  () => ({ config: { mcp: { servers: { fix: fixtureServer() } } } }),
  (product) => {
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'fix__count');
    });

    keeps(['edge.bombs'], 'bombs are refused quickly and the next call works', async () => {
      const client = clientOf(product());
      const path = '/api/tools/fix__count/execute';
      const keys = Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join(',');
      const bombs: [string, string][] = [
        ['a body of 10 MB', `{"arguments":{"id":"${'x'.repeat(10_000_000)}"}}`],
        ['depth 100,000', `{"arguments":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
        ['200,000 keys', `{"arguments":{${keys}}}`],
        ['3,000 nodes', `{"arguments":{"a":[${Array(3000).fill(1).join(',')}]}}`],
      ];
      for (const [name, raw] of bombs) {
        const started = performance.now();
        const { status } = await client.request(path, { raw });
        expect(status, name).toBeGreaterThanOrEqual(400);
        expect(status, name).toBeLessThan(500);
        expect(performance.now() - started, name).toBeLessThan(3000);
      }
      expect((await client.execute('fix__count', {})).status).toBe(200);
    });

    keeps(['edge.bombs'], 'a header of 17 KB is refused', async () => {
      const { hostname, port, host } = new URL(product().gateway);
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(`GET /api/tools HTTP/1.1\r\nhost: ${host}\r\nx-big: ${'x'.repeat(17 * 1024)}\r\n\r\n`);
        });
        let text = '';
        socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
        socket.on('close', () => resolve(text));
        socket.on('error', reject);
      });
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d/);
    });

    keeps(['openapi.served'], 'the contract is served', async () => {
      const { status, body } = await clientOf(product()).get('/openapi.json');
      expect(status).toBe(200);
      expect(String(body['openapi'])).toMatch(/^3\.1/);
      for (const path of ['/api/tools', '/api/tools/{name}/execute', '/api/uar/approvals/{id}/decision']) {
        expect(Object.keys(body['paths'] ?? {}), path).toContain(path);
      }
    });
  },
);
