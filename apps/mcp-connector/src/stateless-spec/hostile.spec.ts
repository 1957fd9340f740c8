import { createHub, type Hub } from '@uar/bus';
import { createLog } from '@uar/telemetry';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { World } from '../connector.fixture.js';
import { Gateway, principals } from '../contract-spec/gateway.fixture.js';
import { json, sse } from '../http-server.fixture.js';
import { rpcError, ScriptedStateless } from './scripted.fixture.js';

const log = createLog({ service: 'test', level: 'silent' });
const good = '{"content":[],"n":9007199254740993, "x":1.50}';
const asks = (more: string): string => `{"resultType":"input_required",${more}}`;
const roots = '"r":{"method":"roots/list"}';

describe('a server without sessions that misbehaves', () => {
  let hub: Hub;
  let world: World;
  let gateway: Gateway;
  let stateless: ScriptedStateless;
  beforeAll(async () => {
    hub = createHub();
    stateless = await ScriptedStateless.start();
    for (const name of ['tool', 'raw', 'marked', 'float', 'twin']) stateless.says(name, good);
    const marked = (type: string, mark = 'Region') => ({ type, 'x-mcp-header': mark });
    stateless.schemas.set('marked', {
      type: 'object',
      properties: { region: marked('string'), in: { properties: { n: marked('integer', 'N') } } },
    });
    stateless.schemas.set('float', { type: 'object', properties: { a: marked('number') } });
    stateless.schemas.set('twin', {
      type: 'object',
      properties: { a: marked('string'), b: marked('string', 'region') },
    });
    const connect: Parameters<typeof World.start>[0] = (service) =>
      Promise.resolve(hub.connect({ service, log }));
    const shared = { transport: 'http', url: stateless.upstream.url } as const;
    world = await World.start(connect, { web: { ...shared, placement: 'per_principal' }, shared });
    gateway = await Gateway.start(await connect('gateway'));
    gateway.say = () => ({ kind: 'answered', result_json: '{"roots":[]}' });
    await Promise.all([world.untilReady('web'), world.untilReady('shared')]);
  });
  afterAll(async () => {
    await world.stop();
    await hub.close();
    await stateless.upstream.stop();
  });
  afterEach(() => stateless.says('tool', good));

  const run = async (args: object = {}, tool = 'tool') =>
    await world.run('web', tool, {
      ...{ args, principal: principals.alice, seat: gateway.seat('s', { roots: {} }) },
    });
  const sent = () => stateless.callsOf('tools/call').at(-1);

  it('is given up in words that say why, and the next call works', async () => {
    const much = Array.from({ length: 65 }, (_, n) => `"r${n}":{"method":"roots/list"}`).join(',');
    const wrong: Readonly<Record<string, string>> = {
      '{"resultType":"task","content":[]}': 'a result of a type that is not known',
      '{"resultType":7}': 'a result of a type that is not known',
      '{"resultType":"complete","content":[],"resultType":"input_required"}': 'names its type twice',
      [asks('"x":1')]: 'without saying for what',
      [asks('"requestState":7')]: 'a requestState that is no string',
      [asks(`"requestState":"${'s'.repeat(300_000)}"`)]: 'a requestState that is too long',
      [asks('"requestState":"a","requestState":"b"')]: 'names a member twice',
      [asks(`"inputRequests":{${roots},${roots}}`)]: 'names a member twice',
      [asks(`"inputRequests":{"r":{"method":"roots/list","method":"x"}}`)]: 'names a member twice',
      [asks(`"inputRequests":{"r":{"method":"roots/list","params":${'['.repeat(200)}${']'.repeat(200)}}}`)]:
        'nested too deeply',
      [asks('"inputRequests":[]')]: 'in another shape than a request',
      [asks('"inputRequests":{"r":7}')]: 'in another shape than a request',
      [asks('"inputRequests":{"r":{"method":"tools/list"}}')]: 'in another shape than a request',
      [asks('"inputRequests":{"r":{"method":"roots/list","params":[]}}')]: 'in another shape than a request',
      [asks(`"inputRequests":{"${'k'.repeat(300)}":{"method":"roots/list"}}`)]: 'in another shape',
      [asks(`"inputRequests":{${much}}`)]: 'too much input at once',
      [asks('"inputRequests":{"s":{"method":"sampling/createMessage"}}')]: 'that its client did not offer',
      '7': 'a result that is no object',
    };
    for (const [result, words] of Object.entries(wrong)) {
      stateless.says('tool', result);
      expect(await run(), result.slice(0, 80)).toMatchObject({
        ...{ kind: 'upstream_error', code: -32603, message: expect.stringContaining(words) as string },
      });
    }
    stateless.says('tool', good);
    expect(await run()).toEqual({ kind: 'ran', result_json: good, is_error: false });
  });

  it('is cut short where its answers are no messages of this revision', async () => {
    const answer = async (text: (id: number) => string) => {
      stateless.tools.set('tool', (call, response) => {
        response.setHeader('content-type', 'application/json').end(text(call.message.id ?? 0));
      });
      return await run();
    };
    const twice = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":${good},"result":{}}`;
    expect(await answer(twice)).toMatchObject({
      kind: 'upstream_error',
      message: expect.stringContaining('names a member twice') as string,
    });
    const none = { kind: 'transport_failure', message: 'the response holds no answer' };
    expect(await answer((id) => `[{"jsonrpc":"2.0","id":${id},"result":${good}}]`)).toEqual(none);
    expect(await answer((id) => `{"jsonrpc":"2.0","id":${id + 1},"result":${good}}`)).toEqual(none);
    expect(await answer((id) => `{"jsonrpc":"2.0","id":${id},"method":"roots/list"}`)).toEqual(none);
    expect(await answer(() => 'nothing')).toEqual(none);
    stateless.tools.set('tool', (_, response) => void sse(response).end('id: 1\ndata:\n\n'));
    expect(await run()).toEqual({ kind: 'transport_failure', message: 'the answer was cut' });
    stateless.tools.set('tool', (_, response) => void response.destroy());
    expect(await run()).toMatchObject({ kind: 'transport_failure' });
    stateless.tools.set('tool', (call, response) =>
      json(call, response, `{"content":[{"type":"text","text":"${'h'.repeat(9_000_000)}"}]}`),
    );
    expect(await run()).toMatchObject({ kind: 'result_too_large' });
    stateless.tools.set('tool', (_, response) => response.writeHead(503).end('down'));
    expect(await run()).toEqual({ kind: 'transport_failure', message: 'the upstream answered HTTP 503' });
    expect(world.report('web')?.epoch).toBe(1);
  });

  it('sends a call once, and its further rounds alone after it was asked for them', async () => {
    const before = stateless.callsOf('tools/call').length;
    stateless.says(
      'tool',
      asks(`"inputRequests":{${roots}},"requestState":"\\u0061\\/é"`),
      asks('"requestState":"b"'),
      good,
    );
    expect(await run({ z: 1 })).toMatchObject({ kind: 'ran' });
    const rounds = stateless.callsOf('tools/call').slice(before);
    expect(rounds.length).toBe(3);
    expect(new Set(rounds.map(({ message }) => message.id)).size).toBe(3);
    expect(rounds[0]?.text).not.toContain('requestState');
    expect(rounds[1]?.text).toContain('"inputResponses":{"r":{"roots":[]}},"requestState":"\\u0061\\/é"');
    expect(rounds[2]?.text).toContain('"requestState":"b"');
    expect(rounds[2]?.text).not.toContain('inputResponses');
    stateless.tools.set('tool', (call, response) => {
      if (call.text.includes('requestState')) return void response.destroy();
      json(call, response, asks('"requestState":"c"'));
    });
    expect(await run()).toMatchObject({ kind: 'transport_failure' });
    expect(stateless.callsOf('tools/call').length).toBe(before + 5);
  });

  it('is sent arguments in headers where it marked them soundly, and loses other tools', async () => {
    const { definitions } = await world.list('web');
    expect(definitions.map((text) => (JSON.parse(text) as { name: string }).name)).toEqual([
      ...['tool', 'raw', 'marked'],
    ]);
    expect(world.report('web')?.incomplete).toContain('marks arguments for headers against the rules');
    const headersOf = async (args: object): Promise<object> => {
      await run(args, 'marked');
      const headers = Object.entries(sent()?.headers ?? {});
      return Object.fromEntries(headers.filter(([name]) => name.startsWith('mcp-')));
    };
    const base = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'marked' };
    expect(await headersOf({ region: 'us west', in: { n: -7 } })).toEqual({
      ...{ ...base, 'mcp-param-region': 'us west', 'mcp-param-n': '-7' },
    });
    for (const region of ['zürich', ' x', 'x ', 'a\nb', '=?base64?eA==?='])
      expect(await headersOf({ region })).toEqual({
        ...base,
        'mcp-param-region': `=?base64?${Buffer.from(region).toString('base64')}?=`,
      });
    expect(await headersOf({ region: '' })).toEqual({ ...base, 'mcp-param-region': '' });
    expect(await headersOf({ region: null, in: { n: 1.5 } })).toEqual(base);
    stateless.tools.set('tool', (call, response) => rpcError(call, response, { status: 400, code: -32_020 }));
    const listed = stateless.callsOf('tools/list').length;
    expect(await world.run('shared', 'tool')).toMatchObject({ kind: 'upstream_error', code: -32_020 });
    await expect.poll(() => stateless.callsOf('tools/list').length).toBeGreaterThan(listed);
  });
});
