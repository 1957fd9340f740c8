import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createHub, type Hub } from '@uar/bus';
import type { Seat } from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { World } from '../connector.fixture.js';
import { Gateway, principals } from './gateway.fixture.js';
import { listOf, runResource } from './items.fixture.js';

const log = createLog({ service: 'test', level: 'silent' });
const manifest = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/package.json',
);
const everything = join(dirname(manifest), 'dist', 'index.js');
const conformance = join(import.meta.dirname, '../../../../e2e/conformance/upstream/main.mjs');
const all = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} };
const { alice, bob } = principals;

/** Asks the system for a port; the server of the package wants to be told one. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('seats with real MCP servers', () => {
  let hub: Hub;
  let world: World;
  let gateway: Gateway;
  let web: ChildProcess;
  beforeAll(async () => {
    hub = createHub();
    const port = await freePort();
    web = fork(everything, ['streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    await new Promise<void>((resolve) => web.stderr?.on('data', () => resolve()));
    const run = (program: string) => ({
      ...{ transport: 'stdio' as const, command: process.execPath, args: [program] },
      placement: 'per_principal' as const,
    });
    world = await World.start((service) => Promise.resolve(hub.connect({ service, log })), {
      pipes: run(everything),
      web: {
        ...{ transport: 'http', url: `http://127.0.0.1:${port}/mcp`, placement: 'per_principal' },
      },
      suite: run(conformance),
      shared: { ...run(everything), placement: 'shared' },
    });
    gateway = await Gateway.start(hub.connect({ service: 'gateway', log }));
    await Promise.all(['pipes', 'web', 'suite', 'shared'].map((name) => world.untilReady(name)));
  });
  afterAll(async () => {
    await world.stop();
    await hub.close();
    web.kill();
  });
  beforeEach(() => {
    gateway.asked.length = 0;
    gateway.told.length = 0;
  });

  const sampled = JSON.stringify({
    ...{ role: 'assistant', model: 'm', content: { type: 'text', text: 'forty-two' } },
  });

  it.each(['pipes', 'web'])('lists over the base connection what any client may use (%s)', async (server) => {
    expect(world.report(server)).toMatchObject({ status: 'ready', tool_count: 17 });
    expect(world.report('shared')).toMatchObject({ tool_count: 13 });
    expect((await listOf(world, server, 'resources')).length).toBeGreaterThan(3);
    expect((await listOf(world, server, 'templates')).length).toBeGreaterThan(0);
    expect((await listOf(world, server, 'prompts')).length).toBeGreaterThan(2);
  });

  it.each(['pipes', 'web'])('has the client of the seat sample for a call (%s)', async (server) => {
    gateway.say = ({ method }) =>
      method === 'sampling/createMessage'
        ? { kind: 'answered', result_json: sampled }
        : { kind: 'answered', result_json: '{"roots":[]}' };
    const whose = { principal: alice, seat: gateway.seat('s', all) };
    const ask = await world.ask(server, 'trigger-sampling-request', {
      args: { prompt: 'six by nine' },
      ...whose,
    });
    const answer = await world.send(ask);
    expect(answer).toMatchObject({ kind: 'ran', is_error: false });
    expect(answer.kind === 'ran' && answer.result_json).toContain('forty-two');
    const question = gateway.asked.find(({ method }) => method === 'sampling/createMessage');
    expect(question).toMatchObject({ seat_id: 's', call_id: ask.call_id });
    expect(question?.params_json).toContain('six by nine');
  });

  it.each(['pipes', 'web'])(
    'gives no tool to a seat that the upstream has it not for (%s)',
    async (server) => {
      const ask = { args: { prompt: 'x' }, principal: bob };
      const answer = await world.run(server, 'trigger-sampling-request', ask);
      expect(JSON.stringify(answer)).toMatch(/not found/);
      expect(gateway.asked.filter(({ method }) => method === 'sampling/createMessage')).toEqual([]);
    },
  );

  it.each(['pipes', 'web'])('tells a seat of what it subscribed to, and nobody else (%s)', async (server) => {
    const uri = 'demo://resource/dynamic/text/1';
    const whose = { principal: alice, seat: gateway.seat('sub') };
    const claims = { principal: alice };
    expect(
      await runResource(world, 'resources/subscribe', [server, uri], { seat: whose.seat, claims }),
    ).toMatchObject({ kind: 'ran' });
    expect(await runResource(world, 'resources/read', [server, uri], { claims })).toMatchObject({
      kind: 'ran',
    });
    await world.run(server, 'toggle-subscriber-updates', whose);
    await expect
      .poll(() => gateway.told.filter(({ method }) => method === 'notifications/resources/updated'))
      .toMatchObject([{ server, seat: { id: 'sub' }, params_json: JSON.stringify({ uri }) }]);
    await world.run(server, 'toggle-subscriber-updates', whose);
  });

  it('passes on what a tool logs while it runs, from the level of the seat on', async () => {
    const logging = (log_level: NonNullable<Seat['log_level']>) =>
      world.run('suite', 'test_tool_with_logging', {
        ...{ principal: alice, seat: gateway.seat(log_level, {}, { log_level }) },
      });
    await logging('error');
    await logging('info');
    await expect.poll(() => gateway.toldOf('notifications/message').length).toBe(3);
    expect(gateway.told.every(({ seat }) => seat?.id === 'info')).toBe(true);
    expect(gateway.toldOf('notifications/message')[0]).toContain('Tool execution started');
  });

  it('elicits from the client that can, and has a refusal for the one that cannot', async () => {
    const content = '{"username":"u","email":"e@x.y"}';
    gateway.say = () => ({ kind: 'answered', result_json: `{"action":"accept","content":${content}}` });
    const args = { message: 'who' };
    const able = { args, principal: alice, seat: gateway.seat('form', all) };
    const answer = await world.run('suite', 'test_elicitation', able);
    expect(answer.kind === 'ran' && answer.result_json).toContain('action=accept');
    const unable = { args, principal: alice, seat: gateway.seat('none') };
    expect(JSON.stringify(await world.run('suite', 'test_elicitation', unable))).toMatch(
      /elicitation|Method not found/i,
    );
    expect(gateway.asked.length).toBe(1);
  });
});
