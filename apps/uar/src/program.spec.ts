import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from './program.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function uar(argv: readonly string[], env: Record<string, string> = {}) {
  let out = '';
  let err = '';
  const code = await runCommandLine(argv, {
    env,
    cwd: folder,
    out: (text) => (out += text),
    err: (text) => (err += text),
  });
  return { code, out, err };
}

describe('the command line', () => {
  it.each([
    [['--help'], 0],
    [['up', '--help'], 0],
    [[], 2],
    [['fly'], 2],
    [['call'], 2],
    [['up', '--port', 'many'], 2],
    [['tools', '--colour'], 2],
    [['call', 'a__b', '{'], 2],
    [['call', 'a__b', '[1]'], 2],
    [['servers', 'add', 'a'], 2],
    [['tools'], 3],
    [['approvals'], 3],
    [['receipts', 'verify', '--file', 'absent.ndjson'], 1],
    [['receipts', 'verify'], 1],
  ])('ends %j with exit code %i', async (argv, code) => {
    const result = await uar(argv);
    expect(result.code).toBe(code);
    expect(result.out + result.err).not.toBe('');
  });

  it('does not pretend commands that there are not', async () => {
    for (const command of ['import'])
      for (const argv of [[command], [command, '--help']]) expect((await uar(argv)).code).toBe(2);
  });

  it('says that nobody listens, and where', async () => {
    const result = await uar(['tools'], { UAR_URL: 'http://127.0.0.1:1' });
    expect(result).toMatchObject({ code: 3, err: expect.stringContaining('http://127.0.0.1:1') });
  });
});

describe('uar config', () => {
  it('lists every problem of the named file', async () => {
    writeFileSync(join(folder, 'bad.yaml'), 'prof1le: x\nserver: { port: no }\n');
    const text = await uar(['config', 'check', 'bad.yaml']);
    expect(text).toMatchObject({ code: 1, out: '' });
    expect(text.err).toContain('did you mean profile?');
    expect(text.err).toContain('server.port');
    const json = await uar(['config', 'check', 'bad.yaml', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, problems: [{}, {}] });
  });

  it('prints what holds, without a secret, and creates nothing', async () => {
    const secret = 'planted-secret-of-more-than-32-bytes';
    const result = await uar(['config', 'print'], { UAR_JWT_SECRET: secret, UAR_PORT: '7' });
    expect(result.code).toBe(0);
    expect(result.out).toContain('port: 7');
    expect(result.out).not.toContain('planted');
    await uar(['config', 'check']);
    expect(() => readFileSync(join(folder, '.uar/keys/jwt.secret'))).toThrow();
  });
});

describe('uar token', () => {
  it('mints a token with the secret of the data folder', async () => {
    const result = await uar(['token', '--sub', 'ada', '--roles', 'user', '--ttl-secs', '60']);
    const claims: unknown = JSON.parse(Buffer.from(result.out.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ sub: 'ada', roles: ['user'], tenant_id: 'default', dev: true });
    expect(readFileSync(join(folder, '.uar/keys/jwt.secret'), 'utf8').trim()).toHaveLength(64);
  });

  it('takes a life that no token may have for a wrong use', async () => {
    for (const life of ['0', '301', '-1', '1.5'])
      expect(await uar(['token', '--ttl-secs', life])).toMatchObject({ code: 2, out: '' });
  });

  it('refuses where tokens come from elsewhere', async () => {
    const env = { UAR_JWKS_URL: 'https://i.example/k', UAR_JWT_ISSUER: 'i', UAR_JWT_AUDIENCE: 'u' };
    expect(await uar(['token'], env)).toMatchObject({ code: 1, out: '' });
    expect(await uar(['token'], { ...env, UAR_PROFILE: 'server-full' })).toMatchObject({ code: 1, out: '' });
  });
});

describe('a client command', () => {
  let server: Server;
  let url: string;
  let requests: { method: string; url: string; body: string; authorization: string | undefined }[];
  let answer: (path: string) => { status: number; body: unknown; location?: string };

  beforeEach(async () => {
    requests = [];
    answer = () => ({ status: 404, body: { error: { code: 'not_found', message: 'nothing here' } } });
    server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        const { method = '', url: path = '', headers } = request;
        requests.push({ method, url: path, body, authorization: headers.authorization });
        const { status, body: json, location } = answer(path);
        response.writeHead(status, location === undefined ? {} : { location });
        response.end(typeof json === 'string' ? json : JSON.stringify(json));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.close();
    await once(server, 'close');
  });

  const call = {
    call_id: 'call_1',
    outcome: 'completed',
    success: true,
    result: { content: [{ type: 'text', text: 'hello\u001b[31m' }, { type: 'image' }] },
    error: null,
    approval: null,
  };

  it('sends arguments as they were typed and shows the result without terminal codes', async () => {
    answer = () => ({ status: 200, body: call });
    const typed = '{ "id": 12345678901234567890, "e": 1e2 }';
    const result = await uar(['call', 'a__b', typed], { UAR_URL: url, UAR_TOKEN: 'a.b.c' });
    expect(result).toEqual({ code: 0, out: 'hello\\u001b[31m\n{"type":"image"}\n', err: '' });
    expect(requests).toEqual([
      {
        method: 'POST',
        url: '/api/tools/a__b/execute',
        body: `{"arguments":${typed}}`,
        authorization: 'Bearer a.b.c',
      },
    ]);
  });

  it('prints the outcome of a call that was refused', async () => {
    const refused = {
      ...call,
      outcome: 'policy_denied',
      success: false,
      result: null,
      error: { code: 'policy_denied', message: 'no' },
    };
    answer = () => ({ status: 403, body: refused });
    expect(await uar(['call', 'a__b'], { UAR_URL: url })).toEqual({
      code: 1,
      out: '',
      err: 'policy_denied: no (call_1)\n',
    });
    const json = await uar(['call', 'a__b', '--json'], { UAR_URL: url });
    expect(JSON.parse(json.out)).toEqual(refused);
  });

  it('asks after a call that is still pending until it has ended', async () => {
    const places = ['/api/tools/a__b/execute', '/api/uar/calls/call_1', '/api/uar/calls/call_1'];
    answer = () =>
      requests.length < 3
        ? { status: 202, body: { ...call, outcome: 'pending', success: false }, location: places[1] ?? '' }
        : { status: 200, body: call };
    expect((await uar(['call', 'a__b'], { UAR_URL: url })).code).toBe(0);
    expect(requests.map((request) => request.url)).toEqual(places);
  });

  it('reads all pages of a list', async () => {
    const tool = { name: 'a__b', risk: 'low', state: 'available', approval: 'never' };
    answer = (path) =>
      path.includes('cursor=next')
        ? { status: 200, body: { tools: [{ ...tool, name: 'a__c' }], incomplete: [] } }
        : { status: 200, body: { tools: [tool], incomplete: [], next_cursor: 'next' } };
    const result = await uar(['tools', '--server', 'a'], { UAR_URL: url });
    expect(result.out.split('\n').map((line) => line.split(' ')[0])).toEqual(['TOOL', 'a__b', 'a__c', '']);
    expect(requests.map((request) => request.url)).toEqual([
      '/api/tools?server=a',
      '/api/tools?server=a&cursor=next',
    ]);
  });

  it('registers a server from a command after --', async () => {
    answer = () => ({ status: 201, body: { warnings: [{ message: 'look' }], tools: ['time__now'] } });
    const argv = ['servers', 'add', 'time', '--env', 'A=b=c', '--', 'time-mcp', '--utc', '--json'];
    expect(await uar(argv, { UAR_URL: url })).toEqual({
      code: 0,
      out: 'time: 1 tools\n',
      err: 'warning: look\n',
    });
    expect(requests[0]).toMatchObject({ method: 'PUT', url: '/api/uar/mcp/servers/time' });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      transport: 'stdio',
      command: 'time-mcp',
      args: ['--utc', '--json'],
      env: { A: 'b=c' },
    });
  });

  it('decides an approval', async () => {
    answer = () => ({ status: 409, body: { error: { code: 'approval_not_pending', message: 'too late' } } });
    const result = await uar(['approvals', 'approve', 'appr_1', '--reason', 'fine'], { UAR_URL: url });
    expect(result).toEqual({ code: 1, out: '', err: 'approval_not_pending: too late\n' });
    expect(requests[0]).toMatchObject({
      url: '/api/uar/approvals/appr_1/decision',
      body: '{"decision":"approve","reason":"fine"}',
    });
  });

  it('does not take another server for ours', async () => {
    answer = () => ({ status: 200, body: '<html>' });
    expect((await uar(['tools'], { UAR_URL: url })).code).toBe(1);
    answer = () => ({ status: 302, body: '', location: 'http://192.0.2.1/' });
    expect((await uar(['tools'], { UAR_URL: url })).code).toBe(1);
  });

  it('uses the proxy that runs on the data folder, and with a token the gateway', async () => {
    answer = () => ({ status: 200, body: { tools: [], incomplete: [] } });
    const write = (endpoints: object) =>
      writeFileSync(
        join(folder, 'endpoints.json'),
        JSON.stringify({ management: url, pid: 1, ...endpoints }),
      );
    const env = { UAR_DATA_DIR: folder };
    write({ gateway: 'http://127.0.0.1:1', proxy: url });
    expect((await uar(['tools'], env)).code).toBe(0);
    expect((await uar(['tools'], { ...env, UAR_TOKEN: 'x' })).code).toBe(3);
    write({ gateway: url, proxy: 'http://127.0.0.1:1' });
    expect((await uar(['tools'], { ...env, UAR_TOKEN: 'x' })).code).toBe(0);
  });
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
