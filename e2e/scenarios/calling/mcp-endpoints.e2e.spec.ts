import { createSign, generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Product, startProduct } from '@uar/testkit';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { admin, clientAt, clientOf, toolListed } from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
afterAll(() => counters.remove());

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const accept = { accept: 'application/json, text/event-stream' };
const endpoints = ['/mcp', '/mcp/servers/fix', '/mcp/uar'];
const metadata = '/.well-known/oauth-protected-resource';

onBothBuses(
  'an endpoint of one upstream',
  (bus) => ({ config: { mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters[bus].file }) } } } }),
  (product, bus) => {
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'fix__count');
    });

    keeps(['mcp.one-upstream'], 'an unmodified client lists and calls by raw names', async () => {
      const client = new McpClient({ name: 'e2e', version: '1.0.0' });
      const headers = { authorization: `Bearer ${product().token(admin)}` };
      const url = new URL(`${product().gateway}/mcp/servers/fix`);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).toContain('count');
      expect(names.filter((name) => name.includes('__'))).toEqual([]);
      const result = await client.callTool({ name: 'count', arguments: { id: 'one' } });
      expect(result._meta?.['io.uar/call']).toMatchObject({ outcome: 'completed', effect: 'ran' });
      await expect(client.callTool({ name: 'fix__count', arguments: { id: 'one' } })).rejects.toMatchObject({
        code: -32602,
      });
      expect(counters[bus].executions()).toEqual(['one']);
      await client.close();
    });

    keeps(
      ['mcp.one-upstream'],
      'what is not there is 404, and what policy hides is the same 404',
      async () => {
        const open = (path: string, who = admin) =>
          clientOf(product(), who).request(path, { body: initialize, headers: accept });
        const unknown = await open('/mcp/servers/nothing');
        expect(unknown.status).toBe(404);
        const hidden = await open('/mcp/servers/fix', { sub: 'eve', tenant: 'other' });
        expect([hidden.status, hidden.text]).toEqual([404, unknown.text]);
      },
    );

    keeps(['mcp.memory-off'], 'without memory its endpoint is not there, and has no metadata', async () => {
      const opened = await clientOf(product()).request('/mcp/memory', { body: initialize, headers: accept });
      expect(opened.status).toBe(404);
      expect((await clientAt(product().gateway, '').get(`${metadata}/mcp/memory`)).status).toBe(404);
    });

    keeps(
      ['mcp.resource'],
      'with a shared secret there is no metadata and no challenge names any',
      async () => {
        const nobody = clientAt(product().gateway, '');
        for (const path of endpoints) {
          const challenged = await nobody.request(path, { body: initialize, headers: accept });
          expect(challenged.status).toBe(401);
          expect(challenged.headers.get('www-authenticate')).not.toContain('resource_metadata');
          expect((await nobody.get(`${metadata}${path}`)).status).toBe(404);
        }
      },
    );
  },
);

describe('endpoints under an identity provider', () => {
  const issuer = 'https://idp.example';
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const tokenFor = (audience: string): string => {
    const exp = Math.floor(Date.now() / 1000) + 300;
    const claims = { iss: issuer, sub: 'ada', aud: audience, exp, roles: ['admin', 'user'] };
    const body = `${part({ alg: 'RS256', kid: 'k1' })}.${part(claims)}`;
    return `${body}.${createSign('RSA-SHA256').update(body).sign(privateKey, 'base64url')}`;
  };
  let keys: Server;
  let product: Product;
  beforeAll(async () => {
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' };
    keys = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
    });
    await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve));
    const { port } = keys.address() as AddressInfo;
    const security = {
      jwks_url: `http://127.0.0.1:${port}/keys`,
      jwt_issuer: issuer,
      jwt_audience: 'configured',
      authorization_servers: [issuer],
    };
    const servers = { fix: fixtureServer() };
    product = await startProduct({ bus: 'inprocess', config: { security, mcp: { servers } } });
    await toolListed(clientAt(product.gateway, tokenFor('configured')), 'fix__count');
  });
  afterAll(async () => {
    await product.stop();
    keys.closeAllConnections();
    keys.close();
  });

  keeps(
    ['mcp.resource'],
    'each leads from its 401 to its own metadata and takes tokens for itself',
    async () => {
      const nobody = clientAt(product.gateway, '');
      for (const path of endpoints) {
        const resource = `${product.gateway}${path}`;
        const open = (audience: string) =>
          clientAt(product.gateway, tokenFor(audience)).request(path, { body: initialize, headers: accept });
        const challenge = (await nobody.request(path, { body: initialize })).headers.get('www-authenticate');
        const url = /resource_metadata="([^"]+)"/.exec(challenge ?? '')?.[1] ?? '';
        expect(url).toBe(`${product.gateway}${metadata}${path}`);
        expect(await (await fetch(url)).json()).toMatchObject({ resource, authorization_servers: [issuer] });
        expect((await open(resource)).status).toBe(200);
        const [other = ''] = endpoints.filter((it) => it !== path);
        expect((await open(`${product.gateway}${other}`)).status).toBe(401);
      }
    },
  );
});
