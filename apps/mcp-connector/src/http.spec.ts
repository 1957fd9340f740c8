import { createHub, type Hub } from '@uar/bus';
import { createLog } from '@uar/telemetry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { World } from './connector.fixture.js';
import { HttpUpstream, json, sse } from './http-server.fixture.js';

const log = createLog({ service: 'test', level: 'silent' });
const good = '{"content":[{"type":"text","text":"fine"}]}';

describe('streamable HTTP upstreams of the connector', () => {
  let hub: Hub;
  let world: World;
  let upstream: HttpUpstream;
  const start = async (headers: Record<string, string> = {}, url = upstream.url): Promise<void> => {
    const connect: Parameters<typeof World.start>[0] = (service) =>
      Promise.resolve(hub.connect({ service, log }));
    world = await World.start(connect, { web: { transport: 'http', url, headers } });
  };
  beforeEach(async () => {
    hub = createHub();
    upstream = await HttpUpstream.start();
    upstream.tools.set('json', (call, response) => json(call, response, good));
    upstream.tools.set('sse', (call, response) => {
      sse(response).write(
        'event: message\r\nid: 1\r\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\r\n\r\n',
      );
      response.end(`data: {"jsonrpc":"2.0","id":${call.message.id},\ndata: "result":${good}}\n\n`);
    });
  });
  afterEach(async () => {
    await world.stop();
    await hub.close();
    await upstream.stop();
  });

  it('calls with session, protocol version and its own headers, and ends the session', async () => {
    await start({ Authorization: 'Bearer planted-token', Accept: 'text/html', 'Mcp-Session-Id': 'forged' });
    await world.untilReady('web');
    expect(world.report('web')).toMatchObject({ mcp_revision: '2025-11-25' });
    const args = '{"z":9007199254740993,"a":1.50}';
    expect(await world.run('web', 'json', { args })).toEqual({
      kind: 'ran',
      result_json: good,
      is_error: false,
    });
    expect(await world.run('web', 'sse')).toEqual({ kind: 'ran', result_json: good, is_error: false });
    const call = upstream.calls.find(({ message }) => message.method === 'tools/call');
    expect(call?.text).toContain(`"arguments":${args}`);
    expect(call?.headers).toMatchObject({
      authorization: 'Bearer planted-token',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': 'session-1',
      'mcp-protocol-version': '2025-11-25',
    });
    await world.stopService();
    expect(upstream.calls.at(-1)).toMatchObject({
      method: 'DELETE',
      headers: { 'mcp-session-id': 'session-1' },
    });
    expect(JSON.stringify(world.beats)).not.toContain('planted-token');
  });

  it('puts a pretty result on one line and changes nothing else', async () => {
    upstream.tools.set('pretty', (call, response) =>
      json(call, response, '{\n  "content": [],\n  "n": 1.0\n}'),
    );
    await start();
    await world.untilReady('web');
    expect(await world.run('web', 'pretty')).toMatchObject({ result_json: '{"content":[],"n":1.0}' });
  });

  it('reports a cut answer at once, and never sends the call again', async () => {
    let executions = 0;
    upstream.tools.set('cut', (_call, response) => {
      executions += 1;
      sse(response).end(': nothing\n\n');
    });
    upstream.tools.set('torn', (_call, response) => {
      executions += 1;
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
        .write('{"jsonrpc"');
      setImmediate(() => response.destroy());
    });
    upstream.tools.set('reset', (_call, response) => {
      executions += 1;
      response.destroy();
    });
    upstream.tools.set('moved', (_call, response) => {
      executions += 1;
      response.writeHead(307, { location: upstream.url }).end();
    });
    await start();
    await world.untilReady('web');
    for (const name of ['cut', 'torn', 'reset', 'moved'])
      expect(await world.run('web', name), name).toMatchObject({ kind: 'transport_failure' });
    expect(executions).toBe(4);
    expect(await world.run('web', 'json')).toMatchObject({ kind: 'ran' });
  });

  it('caps answers in both forms and disturbs nobody', async () => {
    const huge = '{"content":[{"type":"text","text":"' + 'h'.repeat(9_000_000) + '"}]}';
    upstream.tools.set('huge', (call, response) => json(call, response, huge));
    upstream.tools.set('huge_event', (call, response) => {
      sse(response).write(`data: {"jsonrpc":"2.0","id":${call.message.id},"result":${huge}}\n\n`);
    });
    await start();
    await world.untilReady('web');
    expect(await world.run('web', 'huge')).toMatchObject({ kind: 'result_too_large' });
    expect(await world.run('web', 'huge_event')).toMatchObject({ kind: 'result_too_large' });
    expect(await world.run('web', 'json')).toMatchObject({ kind: 'ran' });
  });

  it('takes a JSON-RPC error for what it is, whatever the HTTP status', async () => {
    upstream.tools.set('bad', (call, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(`{"jsonrpc":"2.0","id":${call.message.id},"error":{"code":-32602,"message":"no"}}`);
    });
    upstream.tools.set('down', (_call, response) => response.writeHead(503).end('down'));
    await start();
    await world.untilReady('web');
    expect(await world.run('web', 'bad')).toEqual({ kind: 'upstream_error', code: -32602, message: 'no' });
    expect(await world.run('web', 'down')).toMatchObject({ kind: 'transport_failure' });
  });

  it('initializes anew for later calls when the upstream forgot the session (T1)', async () => {
    await start();
    const before = await world.untilReady('web');
    upstream.session = 'session-2';
    upstream.tools.set('new', (call, response) => json(call, response, good));
    expect(await world.run('web', 'json')).toMatchObject({ kind: 'transport_failure' });
    await world.until('web', ({ epoch, status }) => epoch === before.epoch + 1 && status === 'ready');
    expect(await world.run('web', 'new')).toMatchObject({ kind: 'ran' });
    expect(upstream.calls.filter(({ message }) => message.method === 'tools/call').length).toBe(2);
  });

  it('hears list changes on the GET stream, and a restart of the upstream', async () => {
    await start();
    await world.untilReady('web');
    await expect.poll(() => upstream.streamCount).toBe(1);
    upstream.tools.set('added', (call, response) => json(call, response, good));
    upstream.notify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await world.until('web', ({ tool_count }) => tool_count === 3);
    const { port, tools } = upstream;
    await upstream.stop();
    upstream = await HttpUpstream.start(port);
    upstream.session = 'after-restart';
    for (const [name, reply] of tools) upstream.tools.set(name, reply);
    await world.until('web', ({ epoch, status }) => epoch === 2 && status === 'ready');
    expect(await world.run('web', 'added')).toMatchObject({ kind: 'ran' });
  });

  it('opens another session for a seat whose upstream forgot the one it had', async () => {
    const config = { transport: 'http', url: upstream.url, placement: 'per_principal' } as const;
    world = await World.start((service) => Promise.resolve(hub.connect({ service, log })), { web: config });
    await world.untilReady('web');
    const begun = (): number =>
      upstream.calls.filter(({ message }) => message.method === 'initialize').length;
    expect(await world.run('web', 'json')).toMatchObject({ kind: 'ran' });
    expect(await world.run('web', 'sse')).toMatchObject({ kind: 'ran' });
    expect(begun()).toBe(2);
    upstream.session = 'session-2';
    expect(await world.run('web', 'json')).toMatchObject({ kind: 'transport_failure' });
    expect(await world.run('web', 'json')).toMatchObject({ kind: 'ran' });
    expect(begun()).toBe(3);
  });

  it('says that credentials are wanted, at the start and later', async () => {
    upstream.intercept = (_call, response) => {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return true;
    };
    await start();
    await world.until('web', ({ status }) => status === 'auth_required');
    upstream.intercept = () => false;
    await world.untilReady('web');
    const ask = await world.ask('web', 'json');
    upstream.intercept = (_call, response) => {
      response.writeHead(401).end();
      return true;
    };
    expect(await world.send(ask)).toMatchObject({ kind: 'transport_failure' });
    await world.until('web', ({ status }) => status === 'auth_required');
  });

  it('says so too where only what comes after initialize wants them', async () => {
    upstream.intercept = ({ message }, response) =>
      message.method === 'tools/list' && response.writeHead(401).end() !== undefined;
    await start();
    const { last_error } = await world.until('web', ({ status }) => status === 'auth_required');
    expect(last_error).toBe('tools/list failed: the upstream answered HTTP 401');
  });

  it('knows that nothing was sent where nobody listens, and connects anew when somebody does', async () => {
    upstream.intercept = (call, response) =>
      call.method === 'GET' && response.writeHead(405).end() !== undefined;
    await start();
    await world.untilReady('web');
    const asks = await Promise.all([
      world.ask('web', 'json'),
      world.ask('web', 'json'),
      world.ask('web', 'json'),
    ]);
    const { port } = upstream;
    await upstream.stop();
    const kinds: string[] = [];
    for (const ask of asks) kinds.push((await world.send(ask)).kind);
    expect(kinds.slice(1)).toEqual(['unavailable', 'unavailable']);
    upstream = await HttpUpstream.start(port);
    upstream.tools.set('other', (call, response) => json(call, response, good));
    await world.until('web', ({ status, tool_count }) => status === 'ready' && tool_count === 1);
    expect(await world.run('web', 'other')).toMatchObject({ kind: 'ran' });
  });

  it('refuses addresses, schemes and user information before anything is sent', async () => {
    const { port } = upstream;
    const urls = {
      metadata: 'http://169.254.169.254/mcp',
      mapped: `http://[::ffff:10.0.0.1]:${port}/mcp`,
      private: `http://10.0.0.1:${port}/mcp`,
      decimal: `http://2886729729:${port}/mcp`,
      user: `http://name:planted@127.0.0.1:${port}/mcp`,
      file: 'file:///etc/passwd',
    };
    await start();
    world.want(
      Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, { transport: 'http', url }])),
    );
    for (const name of Object.keys(urls)) {
      const { last_error } = await world.until(name, ({ status }) => status === 'failed');
      expect(last_error, name).toMatch(/not allowed|neither http|user information/);
    }
    expect(JSON.stringify(world.beats)).not.toContain('planted');
  });
});
