import { request as httpRequest } from 'node:http';
import { beforeAll, expect } from 'vitest';
import { WebSocket } from 'ws';
import { clientAt, clientOf, toolListed } from '../../client.js';
import { keeps } from '../../keeps.js';
import { fixtureServer, onBothBuses } from '../../on-both-buses.js';

/** Status of a raw request: fetch would not send these headers. */
function statusOf(url: string, method: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}

onBothBuses(
  'dev proxy',
  () => ({ config: { mcp: { servers: { fix: fixtureServer() } } } }),
  (product) => {
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'fix__count');
    });

    keeps(
      ['proxy.forward'],
      'a call through the proxy needs no token and acts as the developer',
      async () => {
        const laptop = clientAt(product().proxy, '');
        expect((await laptop.get('/api/tools')).status).toBe(200);
        expect((await laptop.execute('fix__count', { id: 'proxied' })).body['outcome']).toBe('completed');
        const forged = await clientAt(product().proxy, 'not-a-token').get('/api/tools');
        expect(forged.status).toBe(200);
      },
    );

    keeps(['proxy.guard'], 'web pages, rebinding hosts and foreign sockets are refused', async () => {
      const url = `${product().proxy}/api/tools`;
      const { host } = new URL(product().proxy);
      expect(await statusOf(url, 'GET', { host })).toBe(200);
      expect(await statusOf(url, 'GET', { host: 'evil.example' })).toBe(403);
      expect(await statusOf(url, 'GET', { host, origin: 'https://evil.example' })).toBe(403);
      expect(await statusOf(url, 'GET', { host, 'sec-fetch-site': 'cross-site' })).toBe(403);
      expect(
        await statusOf(`${product().proxy}/api/tools/fix__count/execute`, 'POST', {
          host,
          'content-type': 'text/plain',
        }),
      ).toBeGreaterThanOrEqual(400);
      const socket = new WebSocket(`${product().proxy.replace('http', 'ws')}/api/uar/events`, {
        origin: 'https://evil.example',
      });
      const refused = await new Promise<string>((resolve) => {
        socket.on('open', () => resolve('open'));
        socket.on('error', (error) => resolve(error.message));
      });
      expect(refused).toContain('403');
    });
  },
);
