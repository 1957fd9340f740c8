import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Gateway } from '../http-spec/gateway.fixture.js';
import { RawClient } from './raw-client.fixture.js';

const call = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'srv__echo', arguments: { n: id } },
});
const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} });

describe('scopes at /mcp', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  beforeEach(() => {
    gateway.neighbours.calls.length = 0;
  });
  afterAll(() => gateway.stop());

  /** A session of the caller, from here on with another token of it. */
  async function session(token: string, revision = '2025-11-25'): Promise<RawClient> {
    const opened = await RawClient.open(gateway, { revision });
    const client = new RawClient(gateway, { token, revision });
    client.session = opened.session;
    return client;
  }
  const challenge = (scope: string) => `Bearer realm="uar", error="insufficient_scope", scope="${scope}"`;

  it('no session opens, is listened to or ended without tools:read', async () => {
    const token = gateway.scoped('approvals:decide');
    const opening = await new RawClient(gateway, { token }).initialize();
    expect([opening.status, opening.headers.get('www-authenticate')]).toEqual([
      403,
      challenge('tools:read approvals:decide'),
    ]);
    const client = await session(token);
    for (const method of ['GET', 'DELETE'] as const) expect((await client.send(method)).status).toBe(403);
  });

  it('tools:read opens and lists; a call is refused before its stream opens, and steps up', async () => {
    const client = await RawClient.open(gateway, { token: gateway.scoped('tools:read') });
    expect((await client.request('tools/list')).status).toBe(200);
    const refused = await client.call('srv__echo', { n: 1 }, 7);
    expect([
      refused.status,
      refused.headers.get('content-type'),
      refused.headers.get('www-authenticate'),
    ]).toEqual([403, 'application/json', challenge('tools:call tools:read')]);
    expect(refused.messages).toEqual([
      {
        jsonrpc: '2.0',
        id: 7,
        error: {
          code: -32000,
          message: 'The token lacks the scope tools:call.',
          data: { required: ['tools:call'] },
        },
      },
    ]);
    expect(gateway.neighbours.calls).toEqual([]);
    const stepped = new RawClient(gateway, { token: gateway.scoped('tools:call', 'tools:read') });
    stepped.session = client.session;
    const answered = await stepped.call('srv__echo', { n: 1 }, 7);
    expect([answered.status, answered.messages.at(-1)?.['id']]).toEqual([200, 7]);
    expect(gateway.neighbours.calls.length).toBe(1);
  });

  it('tools:call alone is enough for a client of tools', async () => {
    const client = await RawClient.open(gateway, { token: gateway.scoped('tools:call') });
    expect((await client.request('tools/list')).status).toBe(200);
    expect((await client.call('srv__echo', { n: 1 })).status).toBe(200);
  });

  it('a batch needs what its members need together, and none of them runs without', async () => {
    const client = await session(gateway.scoped('tools:read'), '2025-03-26');
    expect((await client.post([list(1), list(2)])).status).toBe(200);
    const refused = await client.post([list(3), call(4), call(5)]);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      403,
      challenge('tools:read tools:call'),
    ]);
    expect(refused.messages[0]).toMatchObject({
      id: null,
      error: { data: { required: ['tools:read', 'tools:call'] } },
    });
    expect(gateway.neighbours.calls).toEqual([]);
    const whole = await session(gateway.scoped('tools:call'), '2025-03-26');
    expect((await whole.post([list(3), call(4), call(5)])).status).toBe(200);
    expect(gateway.neighbours.calls.length).toBe(2);
  });

  it('a call as a notification is held to its scope too', async () => {
    const client = await session(gateway.scoped('tools:read'));
    const notification = { jsonrpc: '2.0', method: 'tools/call', params: call(1).params };
    expect((await client.post(notification)).status).toBe(403);
  });

  it('a token without scopes does as before', async () => {
    const client = await RawClient.open(gateway);
    expect((await client.call('srv__echo', { n: 1 })).status).toBe(200);
  });
});
