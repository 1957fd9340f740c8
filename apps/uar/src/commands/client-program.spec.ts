import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startStandIn, uarIn, type CommandEnd, type StandIn } from '../command-line.fixture.js';

let folder: string;
let gateway: StandIn;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'uar-client-'));
  gateway = await startStandIn();
});
afterEach(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

const uar = (argv: readonly string[], env: Record<string, string> = {}): Promise<CommandEnd> =>
  uarIn(folder, argv, env);

describe('a client command', () => {
  it('reads all pages of a list', async () => {
    const tool = { name: 'a__b', risk: 'low', state: 'available', approval: 'never' };
    gateway.answer = (path) =>
      path.includes('cursor=next')
        ? { status: 200, body: { tools: [{ ...tool, name: 'a__c' }], incomplete: [] } }
        : { status: 200, body: { tools: [tool], incomplete: [], next_cursor: 'next' } };
    const result = await uar(['tools', '--server', 'a'], { UAR_URL: gateway.url });
    expect(result.out.split('\n').map((line) => line.split(' ')[0])).toEqual(['TOOL', 'a__b', 'a__c', '']);
    expect(gateway.requests.map((request) => request.url)).toEqual([
      '/api/tools?server=a',
      '/api/tools?server=a&cursor=next',
    ]);
  });

  it('registers a server from a command after --', async () => {
    gateway.answer = () => ({ status: 201, body: { warnings: [{ message: 'look' }], tools: ['time__now'] } });
    const argv = ['servers', 'add', 'time', '--env', 'A=b=c', '--', 'time-mcp', '--utc', '--json'];
    expect(await uar(argv, { UAR_URL: gateway.url })).toEqual({
      code: 0,
      out: 'time: 1 tools\n',
      err: 'warning: look\n',
    });
    expect(gateway.requests[0]).toMatchObject({ method: 'PUT', url: '/api/uar/mcp/servers/time' });
    expect(JSON.parse(gateway.requests[0]?.body ?? '')).toEqual({
      transport: 'stdio',
      command: 'time-mcp',
      args: ['--utc', '--json'],
      env: { A: 'b=c' },
    });
  });

  it.each([
    [[], '/api/uar/mcp/servers/notes/connect'],
    [['--own'], '/api/uar/mcp/servers/notes/connect/own'],
  ])('says where to connect a server, with %j', async (flags, url) => {
    const body = { authorization_url: 'https://as.example/auth?x=1', expires_at: '2026-12-01T00:10:00.000Z' };
    gateway.answer = () => ({ status: 200, body });
    expect(await uar(['servers', 'connect', 'notes', ...flags], { UAR_URL: gateway.url })).toEqual({
      code: 0,
      out: `open in a browser before ${body.expires_at}:\n${body.authorization_url}\n`,
      err: '',
    });
    expect(gateway.requests[0]).toMatchObject({ method: 'POST', url });
  });

  it('does not take another server for ours', async () => {
    gateway.answer = () => ({ status: 200, body: '<html>' });
    expect((await uar(['tools'], { UAR_URL: gateway.url })).code).toBe(1);
    gateway.answer = () => ({ status: 302, body: '', location: 'http://192.0.2.1/' });
    expect((await uar(['tools'], { UAR_URL: gateway.url })).code).toBe(1);
  });

  it('uses the proxy that runs on the data folder, and with a token the gateway', async () => {
    gateway.answer = () => ({ status: 200, body: { tools: [], incomplete: [] } });
    const write = (endpoints: object) =>
      writeFileSync(
        join(folder, 'endpoints.json'),
        JSON.stringify({ management: gateway.url, pid: 1, ...endpoints }),
      );
    const env = { UAR_DATA_DIR: folder };
    write({ gateway: 'http://127.0.0.1:1', proxy: gateway.url });
    expect((await uar(['tools'], env)).code).toBe(0);
    expect((await uar(['tools'], { ...env, UAR_TOKEN: 'x' })).code).toBe(3);
    write({ gateway: gateway.url, proxy: 'http://127.0.0.1:1' });
    expect((await uar(['tools'], { ...env, UAR_TOKEN: 'x' })).code).toBe(0);
  });
});
