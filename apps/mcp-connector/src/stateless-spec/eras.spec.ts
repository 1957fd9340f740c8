import { createHub, type Hub } from '@uar/bus';
import { createLog } from '@uar/telemetry';
import { statelessStdio } from '@uar/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scripted, World, type Servers } from '../connector.fixture.js';
import { HttpUpstream, json } from '../http-server.fixture.js';
import { rpcError, ScriptedStateless } from './scripted.fixture.js';

const log = createLog({ service: 'test', level: 'silent' });
const good = '{"content":[]}';

describe('the era of an upstream', () => {
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

  it('is found out at a child that hangs, ends or complains when it hears what it does not know', async () => {
    await start({
      errs: scripted(),
      hangs: scripted({ unknown: 'hang' }),
      ends: scripted({ unknown: 'exit' }),
      slow: scripted({ unknown: 'hang', initializeMs: 300 }),
      both: statelessStdio({ legacy: 'serve' }),
    });
    for (const name of ['errs', 'hangs', 'ends', 'slow']) {
      await world.untilReady(name);
      expect(await world.run(name, 'count')).toMatchObject({ kind: 'ran' });
    }
    await world.untilReady('both');
    expect(await world.textOf('both', 'said')).toContain('2026-07-28');
  });

  it('is found out at an HTTP server that hangs, or refuses in whatever way', async () => {
    const refusals: Readonly<Record<string, HttpUpstream['intercept']>> = {
      silent: () => true,
      forbidden: (_, response) => response.writeHead(403).end() !== undefined,
      failing: (_, response) => response.writeHead(500).end('down') !== undefined,
      broken: (_, response) => response.destroy() !== undefined,
      vague: (call, response) => json(call, response, '{}') === undefined,
      wrong: (call, response) => rpcError(call, response, { status: 400, code: -32_000 }) === undefined,
      older: (call, response) => {
        const data = { supported: ['2025-11-25', '2025-06-18'], requested: '2026-07-28' };
        return rpcError(call, response, { status: 400, code: -32_022, data }) === undefined;
      },
    };
    const upstreams = await Promise.all(
      Object.entries(refusals).map(async ([name, refuse]) => {
        const upstream = await HttpUpstream.start();
        upstream.tools.set('json', (call, response) => json(call, response, good));
        upstream.intercept = (call, response) =>
          call.message.method === 'server/discover' && refuse(call, response);
        return [name, upstream] as const;
      }),
    );
    await start(
      Object.fromEntries(upstreams.map(([name, { url }]) => [name, { transport: 'http', url }] as const)),
    );
    for (const [name, upstream] of upstreams) {
      await world.untilReady(name);
      expect(await world.run(name, 'json'), name).toMatchObject({ kind: 'ran' });
      expect(upstream.calls.at(-1)?.headers['mcp-protocol-version']).toBe('2025-11-25');
    }
    await Promise.all(upstreams.map(([, upstream]) => upstream.stop()));
  });

  it('is that of the revision which a server names when it refuses, or none', async () => {
    const [picky, alien, bent] = await Promise.all([1, 2, 3].map(() => ScriptedStateless.start()));
    if (picky === undefined || alien === undefined || bent === undefined) throw new Error('no upstream');
    picky.says('json', good);
    picky.intercept = (call, response) => {
      const data = { supported: ['2026-07-28'], requested: '2026-07-28' };
      if (picky.upstream.calls.length > 1) return false;
      return rpcError(call, response, { status: 400, code: -32_022, data }) === undefined;
    };
    alien.discovery = { supportedVersions: ['2031-01-01'], capabilities: {} };
    bent.intercept = (call, response) =>
      rpcError(call, response, { status: 400, code: -32_020 }) === undefined;
    const url = ({ upstream }: ScriptedStateless) => ({ transport: 'http', url: upstream.url }) as const;
    await start({ picky: url(picky), alien: url(alien), bent: url(bent) });
    await world.untilReady('picky');
    expect(await world.run('picky', 'json')).toMatchObject({ kind: 'ran' });
    const failed = async (name: string) =>
      (await world.until(name, ({ status }) => status === 'failed')).last_error;
    expect(await failed('alien')).toMatch(/speaks no revision of MCP that this host does/);
    expect(await failed('bent')).toMatch(/server\/discover failed: no \(-32020\)/);
    expect(alien.callsOf('initialize')).toEqual([]);
    await Promise.all([picky, alien, bent].map(({ upstream }) => upstream.stop()));
  });
});
