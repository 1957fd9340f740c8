import { createHub, type Hub } from '@uar/bus';
import { createLog } from '@uar/telemetry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { World, type Servers } from '../connector.fixture.js';
import { HttpUpstream, json } from '../http-server.fixture.js';
import { rpcError, ScriptedStateless } from './scripted.fixture.js';

const log = createLog({ service: 'test', level: 'silent' });
const good = '{"content":[]}';
const spoken = ({ callsOf }: Pick<ScriptedStateless, 'callsOf'>): string[] =>
  callsOf('tools/call').map(({ headers }) => String(headers['mcp-protocol-version']));

describe('the era of an upstream that becomes another', () => {
  let hub: Hub;
  let world: World;
  const start = async (servers: Servers): Promise<void> => {
    world = await World.start((service) => Promise.resolve(hub.connect({ service, log })), servers);
  };
  beforeEach(() => {
    hub = createHub();
  });
  afterEach(async () => {
    await world.stop();
    await hub.close();
  });

  it('is found out again when another server stands there', async () => {
    let stateless = await ScriptedStateless.start();
    stateless.says('json', good);
    await start({ web: { transport: 'http', url: stateless.upstream.url } });
    await world.untilReady('web');
    expect(await world.run('web', 'json')).toMatchObject({ kind: 'ran' });
    expect(spoken({ callsOf: (method) => stateless.callsOf(method) })).toEqual(['2026-07-28']);
    const { port } = stateless.upstream;
    await stateless.upstream.stop();
    const legacy = await HttpUpstream.start(port);
    legacy.tools.set('json', (call, response) => json(call, response, good));
    expect(await world.run('web', 'json')).toMatchObject({ kind: 'transport_failure' });
    await world.until('web', ({ epoch, status }) => epoch === 2 && status === 'ready');
    expect(await world.run('web', 'json')).toMatchObject({ kind: 'ran' });
    expect(legacy.calls.at(-1)?.headers['mcp-protocol-version']).toBe('2025-11-25');
    await legacy.stop();
    stateless = await ScriptedStateless.start(port);
    stateless.says('json', good);
    stateless.intercept = (call, response) =>
      call.method === 'POST' &&
      call.headers['mcp-method'] === undefined &&
      rpcError(call, response, { status: 400, code: -32_020 }) === undefined;
    await world.until('web', ({ epoch, status }) => epoch === 3 && status === 'ready');
    expect(await world.run('web', 'json')).toMatchObject({ kind: 'ran' });
    expect(spoken({ callsOf: (method) => stateless.callsOf(method) }).at(-1)).toBe('2026-07-28');
    await stateless.upstream.stop();
  });

  it('is found out again when a session is refused as only those without sessions refuse it', async () => {
    const upstream = await HttpUpstream.start();
    upstream.tools.set('json', (call, response) => json(call, response, good));
    let isStateless = false;
    upstream.intercept = (call, response) => {
      if (call.method === 'GET') return response.writeHead(405).end() !== undefined;
      return isStateless && rpcError(call, response, { status: 400, code: -32_022 }) === undefined;
    };
    await start({ web: { transport: 'http', url: upstream.url } });
    await world.untilReady('web');
    isStateless = true;
    expect(await world.run('web', 'json')).toMatchObject({ kind: 'upstream_error', code: -32_022 });
    await world.until('web', ({ status }) => status === 'failed');
    await upstream.stop();
  });
});
