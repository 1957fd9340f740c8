import { createSign, generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../http-spec/gateway.fixture.js';
import { RawClient } from './raw-client.fixture.js';

const issuer = 'https://idp.example';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function tokenFor(audience: string | readonly string[], scope?: string): string {
  const exp = Math.floor(Date.now() / 1000) + 300;
  const claims = { iss: issuer, sub: 'ada', aud: audience, exp, roles: ['user'], scope };
  const body = `${part({ alg: 'RS256', kid: 'k1' })}.${part(claims)}`;
  return `${body}.${createSign('RSA-SHA256').update(body).sign(privateKey, 'base64url')}`;
}

const endpoints = ['/mcp', '/mcp/servers/srv', '/mcp/uar'];
const metadata = '/.well-known/oauth-protected-resource';
const publicUrl = 'https://tools.example/plane';

describe.each(endpoints)('%s as a resource server', (path) => {
  let gateway: Gateway;
  let keys: Server;
  beforeAll(async () => {
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' };
    keys = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
    });
    await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve));
    const { port } = keys.address() as AddressInfo;
    gateway = await Gateway.start({
      server: { port: 0, management_port: 0, shutdown_grace_seconds: 4, public_url: publicUrl },
      security: {
        jwks_url: `http://127.0.0.1:${port}/keys`,
        jwt_issuer: issuer,
        jwt_audience: 'configured',
        authorization_servers: [issuer],
      },
    });
  });
  afterAll(async () => {
    await gateway.stop();
    keys.closeAllConnections();
    keys.close();
  });

  const opening = (token: string) => new RawClient(gateway, { path, token }).initialize();
  const challenge = `resource_metadata="https://tools.example${metadata}/plane${path}"`;

  it('says where its metadata stands, whatever the request says of itself', async () => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, headers } = await gateway.ask(method, path, {
        token: null,
        headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
      });
      expect([status, headers.get('www-authenticate')]).toEqual([401, `Bearer realm="uar", ${challenge}`]);
    }
    const { status, headers } = await opening(tokenFor('another'));
    expect([status, headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="uar", error="invalid_token", ${challenge}`,
    ]);
  });

  it('has metadata that names it and the authorization server (RFC 9728)', async () => {
    const { status, body } = await gateway.ask('GET', `${metadata}${path}`, { token: null });
    expect(status).toBe(200);
    expect(body).toEqual({
      resource: `${publicUrl}${path}`,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['tools:read', 'tools:call', 'approvals:decide', 'admin'],
    });
  });

  it('takes tokens for itself and for the configured audience, and none for its neighbour (RFC 8707)', async () => {
    expect((await opening(tokenFor(`${publicUrl}${path}`))).status).toBe(200);
    expect((await opening(tokenFor(['x', 'configured']))).status).toBe(200);
    for (const other of [...endpoints, '/mcp/servers/other', ''].filter((it) => it !== path))
      expect([other, (await opening(tokenFor(`${publicUrl}${other}`))).status]).toEqual([other, 401]);
    expect((await gateway.ask('GET', '/api/tools', { token: tokenFor(`${publicUrl}${path}`) })).status).toBe(
      401,
    );
  });

  it('leads a token with too few scopes to its metadata', async () => {
    const refused = await opening(tokenFor('configured', 'openid'));
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      403,
      `Bearer realm="uar", error="insufficient_scope", scope="tools:read", ${challenge}`,
    ]);
    expect((await opening(tokenFor('configured', 'openid tools:read'))).status).toBe(200);
  });

  it('is 403 where policy allows no session', async () => {
    gateway.neighbours.may = ({ kind }) => kind !== 'list_tools';
    expect((await opening(tokenFor('configured'))).status).toBe(403);
    gateway.neighbours.may = () => true;
  });

  it('says of no other path that it were a resource', async () => {
    for (const other of ['/mcp/memory', '/mcp/servers', '/mcp/servers/a/b', '/api'])
      expect([other, (await gateway.ask('GET', `${metadata}${other}`)).status]).toEqual([other, 404]);
  });
});

describe.each(endpoints)('%s with a shared secret', (path) => {
  it('has no metadata, and no challenge speaks of any', async () => {
    const gateway = await Gateway.start();
    const { status, headers } = await gateway.ask('POST', path, { token: null, body: {} });
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="uar"']);
    expect((await gateway.ask('GET', `${metadata}${path}`, { token: null })).status).toBe(404);
    await gateway.stop();
  });
});
