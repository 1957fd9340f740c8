import { createHmac } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { beforeAll, expect } from 'vitest';
import { clientAt, clientOf, toolListed } from '../../client.js';
import { keeps } from '../../keeps.js';
import { fixtureServer, onBothBuses } from '../../on-both-buses.js';

const planted = 'planted-secret-3f9c0a77';

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function forged(header: unknown, claims: unknown, secret: string): string {
  const body = `${part(header)}.${part(claims)}`;
  return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
}

onBothBuses(
  'identity',
  () => ({ config: { mcp: { servers: { fix: fixtureServer({ API_TOKEN: planted }) } } } }),
  (product) => {
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'fix__count');
    });

    keeps(['identity.required'], 'every route but the public ones is 401 without a token', async () => {
      const nobody = clientAt(product().gateway, '');
      const routes: [string, string][] = [
        ['GET', '/api/tools'],
        ['POST', '/api/tools/fix__count/execute'],
        ['GET', '/api/uar/mcp/servers'],
        ['GET', '/api/uar/mcp/health'],
        ['GET', '/api/uar/approvals'],
        ['GET', '/api/uar/receipts'],
        ['GET', '/openapi.json'],
        ['POST', '/mcp'],
        ['GET', '/mcp'],
      ];
      for (const [method, path] of routes) {
        const answer = await nobody.request(path, method === 'POST' ? { body: {} } : {});
        expect(answer.status, path).toBe(401);
        expect(answer.headers.get('www-authenticate'), path).toMatch(/^Bearer/);
      }
      expect((await nobody.get('/healthz')).status).toBe(200);
      expect((await nobody.get('/readyz')).status).toBe(200);
    });

    keeps(['identity.hostile-tokens'], 'forged and malformed tokens are 401', async () => {
      const now = Math.floor(Date.now() / 1000);
      const claims = { sub: 'dev', roles: ['admin'], exp: now + 100 };
      const header = { alg: 'HS256', typ: 'JWT' };
      const secret = 'x'.repeat(32);
      const tokens = [
        forged(header, claims, secret),
        `${part({ alg: 'none' })}.${part(claims)}.`,
        `${part({ alg: 'nOnE' })}.${part(claims)}.`,
        forged({ ...header, jku: 'http://127.0.0.1:9/keys' }, claims, secret),
        forged({ ...header, crit: ['exp'] }, claims, secret),
        'a.b',
        'x'.repeat(9000),
      ];
      for (const token of tokens) {
        expect((await clientAt(product().gateway, token).get('/api/tools')).status).toBe(401);
      }
    });

    keeps(
      ['identity.two-headers'],
      'two Authorization headers are 400, a token in the query is ignored',
      async () => {
        const token = product().token();
        const { hostname, port } = new URL(product().gateway);
        const status = await new Promise<number | undefined>((resolve, reject) => {
          const twice = httpRequest(
            {
              hostname,
              port,
              path: '/api/tools',
              headers: [
                ['Authorization', `Bearer ${token}`],
                ['Authorization', `Bearer ${token}`],
                ['Host', `${hostname}:${port}`],
              ].flat(),
            },
            (response) => {
              response.resume();
              resolve(response.statusCode);
            },
          );
          twice.on('error', reject);
          twice.end();
        });
        expect(status).toBe(400);
        expect((await clientAt(product().gateway, '').get(`/api/tools?access_token=${token}`)).status).toBe(
          401,
        );
        expect(product().output()).not.toContain(token);
      },
    );

    keeps(['identity.no-leak'], 'neither tokens nor planted secrets appear anywhere', async () => {
      const client = clientOf(product());
      const frame = await client.execute('fix__raw');
      const answers = await Promise.all(
        [
          '/api/tools',
          '/api/uar/mcp/servers',
          '/api/uar/mcp/servers/fix',
          '/api/uar/mcp/health',
          '/api/uar/receipts',
          '/readyz',
          '/openapi.json',
        ].map((path) => client.get(path)),
      );
      const metrics = await fetch(`${product().management}/metrics`).then((response) => response.text());
      for (const text of [frame.text, ...answers.map((answer) => answer.text), metrics, product().output()]) {
        expect(text).not.toContain(planted);
        expect(text).not.toContain(client.token);
      }
    });
  },
);
