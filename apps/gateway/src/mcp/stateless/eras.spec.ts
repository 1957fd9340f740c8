import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../../http-spec/gateway.fixture.js';
import { RawClient } from '../raw-client.fixture.js';
import { metaOf, revision, StatelessClient } from './stateless-client.fixture.js';

const key = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const supported = [revision, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const call = (meta: object | undefined, method = 'tools/call') => ({
  jsonrpc: '2.0',
  id: 4,
  method,
  params: { name: 'srv__echo', arguments: {}, ...(meta === undefined ? {} : { _meta: meta }) },
});
const version = (text: string) => ({ 'mcp-protocol-version': text });
const right = { ...version(revision), 'mcp-method': 'tools/call', 'mcp-name': 'srv__echo' };
const without = (name: string) => Object.fromEntries(Object.entries(right).filter(([each]) => each !== name));
const metaWithout = (name: string) =>
  Object.fromEntries(Object.entries(metaOf()).filter(([each]) => each !== name));

describe('messages of two eras', () => {
  let gateway: Gateway;
  let client: StatelessClient;
  beforeAll(async () => {
    gateway = await Gateway.start();
    client = new StatelessClient(gateway);
  });
  afterAll(() => gateway.stop());

  it.each<[string, object | string, Record<string, string>, number, string | number | null]>([
    ['no _meta', call(undefined), right, -32602, 4],
    ['a _meta without a revision', call(metaWithout(key)), right, -32602, 4],
    ['a _meta without capabilities', call(metaWithout(capabilitiesKey)), right, -32602, 4],
    [
      'a client that has no name',
      call({ ...metaOf(), 'io.modelcontextprotocol/clientInfo': {} }),
      right,
      -32602,
      4,
    ],
    [
      'a revision that is no text',
      call({ ...metaOf(), [key]: 7 }),
      without('mcp-protocol-version'),
      -32602,
      4,
    ],
    ['no version header', call(metaOf()), without('mcp-protocol-version'), -32020, 4],
    ['a version header of the sessions', call(metaOf()), { ...right, ...version('2025-11-25') }, -32020, 4],
    ['a body of the sessions', call({ ...metaOf(), [key]: '2025-11-25' }), right, -32020, 4],
    [
      'two versions in one header',
      call(metaOf()),
      { ...right, ...version(`${revision}, ${revision}`) },
      -32020,
      4,
    ],
    ['no method header', call(metaOf()), without('mcp-method'), -32020, 4],
    ['another method header', call(metaOf()), { ...right, 'mcp-method': 'tools/list' }, -32020, 4],
    [
      'a method header in another casing',
      call(metaOf()),
      { ...right, 'mcp-method': 'Tools/Call' },
      -32020,
      4,
    ],
    ['no name header', call(metaOf()), without('mcp-name'), -32020, 4],
    ['another name header', call(metaOf()), { ...right, 'mcp-name': 'srv__write' }, -32020, 4],
    ['a broken name header', call(metaOf()), { ...right, 'mcp-name': '=?base64?%%?=' }, -32020, 4],
    ['initialize', call(undefined, 'initialize'), { ...right, 'mcp-method': 'initialize' }, -32020, 4],
    ['a session', call(metaOf()), { ...right, 'mcp-session-id': 'x' }, -32600, null],
    [
      'an unknown revision',
      call({ ...metaOf(), [key]: '2030-01-01' }),
      { ...right, ...version('2030-01-01') },
      -32022,
      4,
    ],
    [
      'an unknown revision in the body alone',
      call({ ...metaOf(), [key]: 'x' }),
      without('mcp-protocol-version'),
      -32022,
      4,
    ],
    ['a batch', `[${JSON.stringify(call(metaOf()))}]`, right, -32600, null],
    ['a response', { jsonrpc: '2.0', id: 4, result: {} }, right, -32600, null],
    ['text that is no JSON', '{', right, -32700, null],
    [
      'a doubled member',
      JSON.stringify(call(metaOf())).replace('"id":4', '"id":4,"id":5'),
      right,
      -32600,
      null,
    ],
    [
      'a doubled revision',
      JSON.stringify(call(metaOf())).replace(`"${key}"`, `"${key}":"2025-11-25","${key}"`),
      right,
      -32600,
      null,
    ],
    ['a notification of another method', { jsonrpc: '2.0', method: 'notifications/x' }, right, -32020, null],
  ])('are refused: %s', async (_, message, headers, code, id) => {
    const { status, messages } = await client.send(message, headers);
    expect([status, messages]).toMatchObject([400, [{ id, error: { code } }]]);
    expect(gateway.neighbours.calls).toEqual([]);
  });

  it('names the supported revisions to whoever speaks another, and the one that was asked for', async () => {
    const meta = { ...metaOf(), [key]: 'v999' };
    const modern = await client.send(call(meta), { ...right, ...version('v999') });
    expect(modern.messages).toMatchObject([{ error: { data: { supported, requested: 'v999' } } }]);
    const legacy = await client.send(call(undefined), version('v999'));
    expect(legacy.messages).toMatchObject([
      { error: { code: -32000, data: { supported, requested: 'v999' } } },
    ]);
  });

  it('refuses a session of this caller that names the other era', async () => {
    const session = await RawClient.open(gateway);
    const { status, messages } = await session.post(call(metaOf()), right);
    expect([status, messages]).toMatchObject([400, [{ error: { code: -32600 } }]]);
    const mixed = await session.post(call(metaOf()));
    expect([mixed.status, mixed.messages]).toMatchObject([400, [{ error: { code: -32600 } }]]);
    expect(gateway.neighbours.calls).toEqual([]);
  });

  it('leaves to sessions what names their revision, in whatever place', async () => {
    const session = await RawClient.open(gateway);
    const inMeta = call({ [key]: '2025-11-25' }, 'tools/list');
    expect((await session.post(inMeta, version('2025-11-25'))).status).toBe(200);
    const inArguments = { ...call(undefined) };
    inArguments.params = { ...inArguments.params, arguments: { text: key } };
    expect((await session.post(inArguments)).status).toBe(200);
  });

  it('refuses a body that is too long as the sessions do', async () => {
    const long = { ...call(metaOf()) };
    long.params = { ...long.params, arguments: { text: 'x'.repeat(20 * 1024 * 1024) } };
    expect((await client.send(long, right)).status).toBe(413);
  });

  it('needs a valid token, and the scope of what is asked before a stream opens', async () => {
    expect((await new StatelessClient(gateway, { token: 'x.y.z' }).request('server/discover')).status).toBe(
      401,
    );
    const reader = new StatelessClient(gateway, { token: gateway.scoped('tools:read') });
    expect((await reader.request('server/discover')).status).toBe(200);
    const refused = await reader.call('srv__echo', {}, {}, { id: 7 });
    expect([refused.status, refused.headers.get('www-authenticate'), refused.messages]).toMatchObject([
      403,
      'Bearer realm="uar", error="insufficient_scope", scope="tools:call tools:read"',
      [{ id: 7, error: { data: { required: ['tools:call'] } } }],
    ]);
    const other = new StatelessClient(gateway, { token: gateway.scoped('approvals:decide') });
    expect((await other.request('server/discover')).status).toBe(403);
  });
});
