import { callProgressed, hosts } from '@uar/contracts';
import { memberText } from '@uar/json-text';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { principals } from '../contract-spec/gateway.fixture.js';
import { itemAsk, listOf, runResource, sendItem } from '../contract-spec/items.fixture.js';
import { StatelessWorld } from './stateless-world.fixture.js';

const { alice } = principals;

describe.each(['http', 'stdio'] as const)('a server that speaks MCP 2026-07-28 alone, over %s', (over) => {
  let stateless: StatelessWorld;
  beforeAll(async () => {
    stateless = await StatelessWorld.start(over);
  });
  afterAll(() => stateless.stop());

  it('is listed, and called with what each request has to say of itself', async () => {
    const { world, gateway } = stateless;
    expect((await world.list('shared')).definitions.length).toBe(12);
    expect(world.report('shared')).toMatchObject({ status: 'ready', mcp_revision: '2026-07-28' });
    const said = JSON.parse(await world.textOf('shared', 'said')) as { envelope: object; meta: object };
    expect(said.envelope).toEqual({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'uar', version: '0.1.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    });
    const seat = gateway.seat('s', { roots: {}, elicitation: { url: {} } }, { log_level: 'error' });
    const seated = JSON.parse(await world.textOf('own', 'said', {}, { principal: alice, seat })) as object;
    expect(seated).toMatchObject({
      envelope: {
        'io.modelcontextprotocol/clientCapabilities': { roots: {}, elicitation: { url: {} } },
        'io.modelcontextprotocol/logLevel': 'error',
      },
    });
  });

  it('gives results, errors of its tools, and errors of its own as they are', async () => {
    const { world } = stateless;
    const counted = await world.run('shared', 'count', { args: { id: 'one' } });
    expect(counted).toMatchObject({ kind: 'ran', is_error: false });
    if (counted.kind === 'ran') expect(memberText(counted.result_json, 'resultType')).toBe('"complete"');
    expect(stateless.ran).toEqual(['one']);
    expect(await world.run('shared', 'fail')).toMatchObject({ kind: 'ran', is_error: true });
    expect(await world.run('shared', 'count', { args: { id: 7 } })).toMatchObject({ is_error: true });
  });

  it('tells its progress, and logs from the level that its client wants', async () => {
    const { world, gateway } = stateless;
    const told: string[] = [];
    world.gateway.listen(callProgressed, ({ params_json }) => told.push(params_json));
    await world.gateway.flush();
    expect(await world.run('shared', 'progress', { wants_progress: true })).toMatchObject({ kind: 'ran' });
    await expect.poll(() => told).toEqual(['{"progress":1,"total":2}', '{"progress":2,"total":2}']);
    const log = async (seat: ReturnType<typeof gateway.seat>): Promise<string> => {
      const call = await world.ask('own', 'log', { principal: alice, seat });
      await world.send(call);
      return call.call_id;
    };
    const levels = () =>
      gateway.told.map(({ call_id, params_json }) => [call_id, memberText(params_json, 'level')]);
    const loud = await log(gateway.seat('loud', {}, { log_level: 'warning' }));
    await expect.poll(levels).toEqual([[loud, '"error"']]);
    gateway.told.length = 0;
    const all = await log(gateway.seat('all'));
    await expect.poll(levels).toEqual([
      [all, '"debug"'],
      [all, '"error"'],
    ]);
  });

  it('is told when a call is cancelled, and takes too long in vain', async () => {
    const { world } = stateless;
    const since = stateless.ran.length;
    const call = await world.ask('shared', 'hang', { timeout_ms: 20_000 });
    const { answer } = await world.begin(call);
    await world.gateway.ask(hosts.mcp.cancel, { call_id: call.call_id }, { to: world.host.instance });
    expect(await answer).toEqual({ kind: 'cancelled', dispatched: true });
    await expect.poll(() => stateless.ran.slice(since)).toEqual(['begun', 'cancelled']);
    expect(await world.run('shared', 'hang', { timeout_ms: 100 })).toEqual({ kind: 'timeout' });
    await expect.poll(() => stateless.ran.slice(since + 2)).toEqual(['begun', 'cancelled']);
  });

  it('has resources, prompts and completions', async () => {
    const { world } = stateless;
    expect((await listOf(world, 'shared', 'resources')).map((text) => memberText(text, 'uri'))).toEqual([
      '"test://a"',
      '"test://who"',
    ]);
    expect(await listOf(world, 'shared', 'prompts')).toHaveLength(1);
    expect(await runResource(world, 'resources/read', ['shared', 'test://a'])).toMatchObject({
      result_json: expect.stringContaining('"text":"a"') as string,
    });
    expect(await runResource(world, 'resources/read', ['shared', 'test://nothing'])).toMatchObject({
      ...{ kind: 'upstream_error', code: -32602 },
    });
    const asked = async (method: 'prompts/get' | 'completion/complete', params: object) =>
      await sendItem(world, itemAsk(world, { server: 'shared', method, item_id: 'p', params }));
    expect(await asked('prompts/get', { name: 'p', arguments: { lang: 'de' } })).toMatchObject({
      result_json: expect.stringContaining('"text":"de"') as string,
    });
    const ref = { type: 'ref/prompt', name: 'p' };
    expect(await asked('completion/complete', { ref, argument: { name: 'lang', value: '' } })).toMatchObject({
      result_json: expect.stringContaining('["de","en"]') as string,
    });
  });
});
