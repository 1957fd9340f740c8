import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { testConfig } from '@uar/testkit';
import { createTokenVerifier } from '@uar/identity';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { rawExchange, startGateway, type Gateway } from './gateway.fixture.js';
import { startProxy, type RunningProxy } from './module.js';

const config = testConfig({ security: { jwt_secret: 'a-secret-of-the-tests-with-more-than-32-bytes' } });

let gateway: Gateway;
let proxy: RunningProxy;
let host: string;

beforeEach(async () => {
  gateway = await startGateway();
  const flags = {
    listen: '127.0.0.1:0',
    upstream: gateway.endpoint,
    roles: 'admin',
    groups: 'staff',
    agent: 'helper',
    scopes: 'tools:read,tools:call',
  };
  proxy = await startProxy({ config, env: {}, flags });
  host = new URL(proxy.url).host;
});
afterEach(async () => {
  await proxy.close();
  await gateway.close();
});

/** All that comes back for these bytes. */
function raw(lines: readonly string[], body = ''): Promise<string> {
  return rawExchange(proxy.url, `${lines.join('\r\n')}\r\n\r\n${body}`);
}

async function get(path: string): Promise<IncomingMessage> {
  const sent = request(`${proxy.url}${path}`).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

describe('requests', () => {
  it('reach the gateway with a token of ours that verifies', async () => {
    const response = await fetch(`${proxy.url}/api/tools/a/execute?x=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer theirs', 'x-user': 'root' },
      body: '{"arguments":{}}',
    });
    expect([response.status, await response.text()]).toEqual([200, '{"arguments":{}}']);
    const [seen] = gateway.seen;
    expect(seen).toMatchObject({ method: 'POST', url: '/api/tools/a/execute?x=1' });
    expect(seen?.headers.host).toBe(gateway.endpoint);
    expect(seen?.headers).not.toHaveProperty('x-user');
    const verifier = createTokenVerifier({ security: config.security, profile: 'minimal' });
    expect(await verifier.verify(seen?.headers.authorization ?? '')).toMatchObject({
      kind: 'verified',
      principal: {
        subject: 'dev',
        tenant: 'default',
        roles: ['admin'],
        groups: ['staff'],
        agent_id: 'helper',
        scopes: ['tools:read', 'tools:call'],
        claims: { name: 'Local Dev' },
      },
    });
  });

  it('share connections and one token', async () => {
    for (let n = 0; n < 5; n += 1) await (await fetch(`${proxy.url}/${String(n)}`)).text();
    expect(new Set(gateway.seen.map((seen) => seen.headers.authorization)).size).toBe(1);
    expect(new Set(gateway.seen.map((seen) => seen.socket.remotePort)).size).toBe(1);
  });

  it('stream as they come, and end at the gateway when the reader leaves', async () => {
    let end: (() => void) | undefined;
    const closed = new Promise<void>((resolve) => {
      gateway.answer((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
        end = () => response.write('data: 2\n\n');
        response.once('close', resolve);
      });
    });
    const response = await get('/api/uar/events');
    const [first] = (await once(response, 'data')) as [Buffer];
    expect(first.toString()).toBe('data: 1\n\n');
    end?.();
    const [second] = (await once(response, 'data')) as [Buffer];
    expect(second.toString()).toBe('data: 2\n\n');
    response.destroy();
    await closed;
  });

  it('break with the answer of a gateway that dies', async () => {
    gateway.answer((request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('part', () => request.socket.destroy());
    });
    await expect(fetch(proxy.url).then((response) => response.text())).rejects.toThrow();
    gateway.answer((_request, response) => response.end('again'));
    expect(await (await fetch(proxy.url)).text()).toBe('again');
  });

  it('are unavailable with a hint when no gateway answers', async () => {
    await gateway.close();
    const response = await fetch(`${proxy.url}/api/tools`);
    expect(response.status).toBe(502);
    expect(await response.json()).toEqual({
      error: {
        code: 'unavailable',
        message: 'The gateway does not answer.',
        details: { hint: expect.stringContaining('npm start') },
      },
    });
    const answer = await raw([
      'GET / HTTP/1.1',
      `Host: ${host}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 502 [^]*"code":"unavailable"/);
    gateway = await startGateway();
  });

  it('keep locations of the gateway behind the proxy', async () => {
    gateway.answer((_request, response) => {
      response.writeHead(202, { location: `http://${gateway.endpoint}/api/uar/calls/c` }).end();
    });
    expect((await fetch(proxy.url)).headers.get('location')).toBe('/api/uar/calls/c');
  });

  it('cannot smuggle a second one', async () => {
    const inner = `GET /smuggled HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const size = inner.length.toString(16);
    const chunked = ['Transfer-Encoding: chunked', 'Content-Type: application/json'];
    const both = ['POST / HTTP/1.1', `Host: ${host}`, ...chunked, 'Content-Length: 4'];
    expect(await raw(both, `${size}\r\n${inner}\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400/);
    const remove = ['DELETE / HTTP/1.1', `Host: ${host}`, ...chunked];
    expect(await raw(remove, `${size}\r\n${inner}\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400/);
    expect(gateway.seen).toEqual([]);
  });
});

describe('WebSockets', () => {
  it('pass both ways with our token', async () => {
    const socket = new WebSocket(`${proxy.url.replace('http', 'ws')}/api/uar/events`, {
      headers: { authorization: 'Bearer theirs' },
    });
    await once(socket, 'open');
    socket.send('hello');
    const [message] = (await once(socket, 'message')) as [Buffer];
    expect(message.toString()).toBe('hello');
    expect(gateway.seen[0]?.url).toBe('/api/uar/events');
    expect(gateway.seen[0]?.headers.authorization).toMatch(/^Bearer ey/);
    const closed = once(socket, 'close');
    await proxy.close();
    await closed;
  });

  it('of another origin, host or site are refused', async () => {
    const attacks: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:3000' },
      { host: `evil.example:${new URL(proxy.url).port}` },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of attacks) {
      const socket = new WebSocket(proxy.url.replace('http', 'ws'), { headers });
      const [error] = (await once(socket, 'error')) as [Error];
      expect(error.message).toContain('403');
    }
    expect(gateway.seen).toEqual([]);
  });
});

describe('what a web page could send', () => {
  it('is refused, and nothing reaches the gateway', async () => {
    const start = ['POST /api/tools/a/execute HTTP/1.1', 'Connection: close'];
    const json = ['Content-Type: application/json', 'Content-Length: 2'];
    const attacks: readonly [string, readonly string[]][] = [
      ['rebinding host', [...start, `Host: evil.example:${new URL(proxy.url).port}`, ...json]],
      ['two hosts', [...start, `Host: ${host}`, 'Host: evil.example', ...json]],
      ['other origin', [...start, `Host: ${host}`, 'Origin: https://evil.example', ...json]],
      ['sandboxed frame', [...start, `Host: ${host}`, 'Origin: null', ...json]],
      ['other port of this machine', [...start, `Host: ${host}`, 'Origin: http://localhost:3000', ...json]],
      [
        'image',
        ['GET /api/tools HTTP/1.1', `Host: ${host}`, 'Sec-Fetch-Site: cross-site', 'Connection: close'],
      ],
      ['link', ['GET / HTTP/1.1', `Host: ${host}`, 'Referer: https://evil.example/', 'Connection: close']],
      ['plain text', [...start, `Host: ${host}`, 'Content-Type: text/plain', 'Content-Length: 2']],
      [
        'form',
        [...start, `Host: ${host}`, 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 2'],
      ],
      ['blob', [...start, `Host: ${host}`, 'Content-Length: 2']],
      [
        'preflight',
        ['OPTIONS / HTTP/1.1', `Host: ${host}`, 'Origin: https://evil.example', 'Connection: close'],
      ],
      ['absolute target', ['GET http://evil.example/ HTTP/1.1', `Host: ${host}`, 'Connection: close']],
    ];
    for (const [name, lines] of attacks) {
      const answer = await raw(lines, '{}');
      expect(answer, name).toMatch(/^HTTP\/1\.1 4(00|03|15) [^]*\{"error":\{"code":"/);
      expect(answer.toLowerCase(), name).not.toContain('access-control-allow');
    }
    expect(gateway.seen).toEqual([]);
  });
});
