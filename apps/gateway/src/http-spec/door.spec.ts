import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from './gateway.fixture.js';

/** Sends bytes as they are and reads until the server closes. */
function raw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

function deep(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`;
}

describe('the door of the gateway', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await Gateway.start({
      server: {
        port: 0,
        management_port: 0,
        shutdown_grace_seconds: 4,
        allowed_hosts: ['tools.example'],
        allowed_origins: ['https://console.example'],
      },
    });
  });
  afterAll(() => gateway.stop());

  const execute = (body: string | Uint8Array<ArrayBuffer>, headers: object = {}) =>
    gateway.ask('POST', '/api/tools/srv__echo/execute', { raw: body, headers });

  it.each([
    ['malformed JSON', '{"arguments":{', 400],
    ['a batch', '[{"arguments":{}}]', 400],
    ['a scalar', '"x"', 400],
    ['a duplicate member', '{"arguments":{},"arguments":{"a":1}}', 400],
    ['a duplicate member below, escaped', '{"arguments":{"a":{"x":1,"\\u0078":2}}}', 400],
    ['an unknown member', '{"arguments":{},"force":true}', 400],
    ['a member in another casing', '{"Arguments":{}}', 400],
    ['arguments that are no object', '{"arguments":[1]}', 400],
    ['a deadline that is no number', '{"deadline_ms":"1"}', 400],
    ['depth 100,000', deep(100_000), 400],
    ['arguments of depth 100,000', `{"arguments":{"a":${deep(100_000)}}}`, 400],
    ['a million keys', `{${Array.from({ length: 300_000 }, (_, i) => `"k${i}":1`).join(',')}}`, 400],
    ['10 MB', `{"arguments":{"a":"${'x'.repeat(10_000_000)}"}}`, 413],
    ['bytes that are no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400],
  ])('refuses %s', async (_name, body, status) => {
    const before = performance.now();
    const answer = await execute(body);
    expect(answer.status).toBe(status);
    expect(answer.body['error']).toMatchObject({ code: expect.any(String), message: expect.any(String) });
    expect(performance.now() - before).toBeLessThan(5_000);
    expect(gateway.neighbours.calls).toEqual([]);
  });

  it('names the pointer of what it refuses', async () => {
    const { body } = await execute('{"arguments":{"a":{"x":1,"x":2}}}');
    expect(body['error']).toMatchObject({
      code: 'bad_request',
      details: { problem: 'duplicate_member', pointer: '/arguments/a/x' },
    });
  });

  it.each([
    ['17 levels', { a: JSON.parse(deep(17)) }],
    ['2,001 values', { a: Array.from({ length: 2_001 }, () => 1) }],
    ['more than 1 MB', { a: 'x'.repeat(1_100_000) }],
  ])('ends arguments of %s as invalid_arguments', async (_name, args) => {
    const { status, body } = await execute(JSON.stringify({ arguments: args }));
    expect([status, body['outcome']]).toEqual([400, 'invalid_arguments']);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'application/jsonx'])(
    'refuses a body of type %s',
    async (type) => {
      expect((await execute('{}', { 'content-type': type })).status).toBe(415);
    },
  );

  it('asks for a token, in the words of RFC 6750 and without metadata in secret mode', async () => {
    const missing = await gateway.ask('GET', '/api/tools', { token: null });
    expect([missing.status, missing.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="uar"']);
    const wrong = await gateway.ask('GET', '/api/tools', { token: 'abc' });
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="uar", error="invalid_token"',
    ]);
    expect(wrong.body).toEqual({
      error: { code: 'unauthorized', message: 'The bearer token is not accepted.' },
    });
    const basic = { authorization: `Basic ${gateway.token()}` };
    expect((await gateway.ask('GET', '/api/tools', { token: null, headers: basic })).status).toBe(401);
    expect((await gateway.ask('GET', '/.well-known/oauth-protected-resource', { token: null })).status).toBe(
      404,
    );
  });

  it('ignores a token in the query', async () => {
    const path = `/api/tools?access_token=${gateway.token()}`;
    expect((await gateway.ask('GET', path, { token: null })).status).toBe(401);
    expect((await gateway.ask('GET', path)).status).toBe(200);
  });

  it('refuses two Authorization headers, two Hosts, foreign Hosts', async () => {
    const bearer = `Authorization: Bearer ${gateway.token()}\r\n`;
    const head = 'GET /api/tools HTTP/1.1\r\nConnection: close\r\n';
    expect(await raw(gateway.url, `${head}Host: localhost\r\n${bearer}${bearer}\r\n`)).toMatch(
      /^HTTP\/1.1 400/,
    );
    expect(await raw(gateway.url, `${head}Host: localhost\r\nHost: evil.example\r\n${bearer}\r\n`)).toMatch(
      /^HTTP\/1.1 400/,
    );
    expect(await raw(gateway.url, `${head}Host: evil.example\r\n${bearer}\r\n`)).toMatch(/^HTTP\/1.1 403/);
    expect(await raw(gateway.url, `${head}Host: 127.0.0.1.evil.example\r\n${bearer}\r\n`)).toMatch(
      /^HTTP\/1.1 403/,
    );
    expect(await raw(gateway.url, `${head}Host: tools.example:99\r\n${bearer}\r\n`)).toMatch(
      /^HTTP\/1.1 200/,
    );
    expect(await raw(gateway.url, `${head}Host: [::1]:1906\r\n${bearer}\r\n`)).toMatch(/^HTTP\/1.1 200/);
  });

  it('answers headers of 17 KB and what is no HTTP in the shape of every refusal', async () => {
    const long = await raw(
      gateway.url,
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(17 * 1024)}\r\n\r\n`,
    );
    expect(long).toMatch(/^HTTP\/1.1 431 .*"code":"headers_too_large"/s);
    expect(await raw(gateway.url, 'hello\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*"code":"bad_request"/s);
  });

  it('gives CORS to the configured origins alone', async () => {
    const ours = { origin: 'https://console.example' };
    const allowed = await gateway.ask('GET', '/api/tools', { headers: ours });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://console.example');
    expect(allowed.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id');
    const preflight = await gateway.ask('OPTIONS', '/api/tools', { token: null, headers: ours });
    expect(preflight.status).toBe(204);
    for (const origin of ['https://evil.example', 'null', 'https://console.example.evil.example'])
      expect((await gateway.ask('GET', '/api/tools', { headers: { origin } })).status).toBe(403);
    const own = await gateway.ask('GET', '/api/tools', { headers: { origin: gateway.url } });
    expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([200, null]);
  });

  it('answers unknown routes and wrong methods with an error body', async () => {
    const unknown = await gateway.ask('GET', '/api/nothing');
    expect([unknown.status, unknown.body['error']?.['code']]).toEqual([404, 'not_found']);
    const wrong = await gateway.ask('PUT', '/api/tools/srv__echo/execute', { body: {} });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await gateway.ask('GET', '/api/tools/%ff')).status).toBe(400);
  });

  it('refuses unknown members of a query', async () => {
    expect((await gateway.ask('GET', '/api/tools?sever=time')).status).toBe(400);
    expect((await gateway.ask('GET', '/api/tools?limit=0')).status).toBe(400);
    expect((await gateway.ask('GET', '/api/tools?limit=5001')).status).toBe(400);
  });

  it('keeps metrics and probes on the management port', async () => {
    expect((await gateway.ask('GET', '/metrics')).status).toBe(404);
    const metrics = await (await fetch(`${gateway.management}/metrics`)).text();
    expect(metrics).toContain('uar_calls_total');
    expect(metrics).toContain('uar_unauthorized_total');
    expect(metrics).not.toContain('srv__echo');
    expect((await fetch(`${gateway.management}/api/tools`)).status).toBe(404);
    const ready = await fetch(`${gateway.management}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { ready: true, governance: 'on', problems: [] },
    ]);
    expect((await gateway.ask('GET', '/readyz', { token: null })).status).toBe(200);
    expect((await gateway.ask('GET', '/healthz', { token: null })).status).toBe(200);
  });
});
