import type { Bus } from '@uar/bus';
import { beginConnection, finishConnection, forgetConnection, type AnswerOf } from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway } from '../http-spec/gateway.fixture.js';

const server = '/api/uar/mcp/servers/srv';
const url = 'https://as.example/authorize?state=x';

const saying = (action: string, principal: unknown = expect.any(String)): unknown =>
  expect.objectContaining({ kind: 'admin', tenant: 'default', action, principal });

describe('accounts at upstreams', () => {
  let gateway: Gateway;
  let connector: Bus;
  let asks: unknown[];
  let begins: AnswerOf<typeof beginConnection>;
  let finishes: AnswerOf<typeof finishConnection>;
  beforeEach(async () => {
    gateway = await Gateway.start({
      server: {
        ...{ port: 0, management_port: 0, public_url: 'https://uar.example/base' },
        trusted_proxies: ['127.0.0.1'],
      },
    });
    asks = [];
    begins = { kind: 'begun', authorization_url: url, expires_at: 1_000 };
    const log = createLog({ service: 'test', level: 'silent' });
    connector = gateway.neighbours.hub.connect({ service: 'mcp-connector', log });
    connector.answer(beginConnection, (ask) => (asks.push(ask), begins));
    connector.answer(finishConnection, (ask) => (asks.push(ask), finishes));
    connector.answer(forgetConnection, (ask) => (asks.push(ask), { kind: 'forgotten', revoked: true }));
  });
  afterEach(async () => {
    await connector.close();
    await gateway.stop();
  });

  it('begins with the callback under the public URL, for the server or for the caller', async () => {
    const began = await gateway.ask('POST', `${server}/connect`);
    expect(began.body).toEqual({ authorization_url: url, expires_at: '1970-01-01T00:00:01.000Z' });
    const token = gateway.token('uma', ['user']);
    expect((await gateway.ask('POST', `${server}/connect/own`, { token })).status).toBe(200);
    const of = { tenant: 'default', server: 'srv', redirect_uri: 'https://uar.example/base/oauth/callback' };
    const uma: unknown = expect.stringContaining('uma');
    expect(asks).toEqual([
      { ...of, receipt: saying('server.connect srv') },
      { ...of, principal: uma, receipt: saying('server.connect_own srv', uma) },
    ]);
  });

  it('asks Cedar about the account of the server, and about nobody for one of their own', async () => {
    const asked: string[] = [];
    gateway.neighbours.may = (question) => {
      asked.push(question.kind === 'admin' ? question.action : question.kind);
      return false;
    };
    for (const [method, path] of [
      ['POST', 'connect'],
      ['DELETE', 'connection'],
    ] as const) {
      expect((await gateway.ask(method, `${server}/${path}`)).status).toBe(403);
      expect((await gateway.ask(method, `${server}/${path}/own`)).status).toBe(200);
      expect((await gateway.ask(method, `${server}/${path}/own`, { token: null })).status).toBe(401);
    }
    expect(asked).toEqual(['manageServers', 'manageServers']);
  });

  it('says distinctly why nothing was begun', async () => {
    for (const [answer, status, code] of [
      [{ kind: 'not_found' }, 404, 'not_found'],
      [{ kind: 'not_applicable', message: 'why' }, 409, 'not_applicable'],
      [{ kind: 'refused', message: 'why' }, 502, 'authorization_failed'],
      [{ kind: 'unreachable', message: 'why' }, 502, 'authorization_failed'],
    ] as const) {
      begins = answer;
      const { status: got, body } = await gateway.ask('POST', `${server}/connect`);
      expect([answer.kind, got, body['error']?.['code']]).toEqual([answer.kind, status, code]);
    }
    expect((await gateway.ask('POST', '/api/uar/mcp/servers/no%20name/connect')).status).toBe(404);
  });

  it('takes the browser back without a token, and shows how it ended', async () => {
    const callback = (query: string) => gateway.ask('GET', `/oauth/callback?${query}`, { token: null });
    for (const [answer, status, text] of [
      [{ kind: 'connected', server: 'srv' }, 200, 'srv is connected'],
      [{ kind: 'used' }, 410, 'good once'],
      [{ kind: 'expired' }, 410, 'has expired'],
      [{ kind: 'unknown' }, 400, 'is waiting'],
      [{ kind: 'authorization_needed', message: 'not <b>agreed</b>' }, 403, 'Not &lt;b&gt;agreed'],
      [{ kind: 'refused', message: 'why' }, 502, 'Why.'],
      [{ kind: 'unreachable', message: 'why' }, 502, 'Begin the connection again'],
    ] as const) {
      finishes = answer;
      const page = await callback('state=s&code=c&session_state=theirs');
      expect([answer.kind, page.status]).toEqual([answer.kind, status]);
      expect(page.text).toContain(text);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(page.headers.get('referrer-policy')).toBe('same-origin');
    }
    expect(asks.at(-1)).toEqual({ state: 's', code: 'c' });
    expect((await callback('code=c')).status).toBe(400);
    await connector.close();
    expect((await callback('state=s')).status).toBe(503);
  });

  it('forgets', async () => {
    expect((await gateway.ask('DELETE', `${server}/connection`)).body).toEqual({
      forgotten: true,
      revoked: true,
    });
    expect(asks).toEqual([{ tenant: 'default', server: 'srv', receipt: saying('server.disconnect srv') }]);
  });

  const times = async (ask: (n: number) => ReturnType<Gateway['ask']>): Promise<Record<number, number>> => {
    const answers = await Promise.all(Array.from({ length: 80 }, (_, n) => ask(n)));
    const counts: Record<number, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };

  it('asks nobody for a principal who begins too often, of whatever accounts', async () => {
    const token = gateway.token('uma', ['admin']);
    const ask = (n: number, by = token) =>
      gateway.ask('POST', `${server}/connect${n % 2 === 0 ? '' : '/own'}`, { token: by });
    const { 200: begun = 0, 429: refused = 0 } = await times((n) => ask(n));
    expect([begun + refused, asks.length, begun >= 60, refused > 10]).toEqual([80, begun, true, true]);
    const answer = await ask(0);
    expect(answer.body['error']).toMatchObject({
      code: 'rate_limited',
      message: expect.stringMatching('Retry-After') as string,
    });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect((await ask(0, gateway.token('bob', ['admin']))).status).toBe(200);
    expect((await gateway.ask('DELETE', `${server}/connection`, { token })).status).toBe(200);
  });

  it('asks nobody for browsers of one network that come back too often, and lets others in', async () => {
    finishes = { kind: 'unknown' };
    const back = (from: string) =>
      gateway.ask('GET', '/oauth/callback?state=s&code=c', {
        ...{ token: null, headers: { 'x-forwarded-for': from } },
      });
    const { 400: passed = 0, 429: refused = 0 } = await times((n) => back(`2001:db8::${n.toString(16)}`));
    expect([passed + refused, asks.length, passed >= 60, refused > 10]).toEqual([80, passed, true, true]);
    const page = await back('2001:db8::1');
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, '1']);
    expect(page.text).toContain('Nothing was used up');
    expect((await back('2001:db8:0:1::1')).status).toBe(400);
    expect((await back('192.0.2.1')).status).toBe(400);
  });

  it('uses up nothing by HEAD or by another method', async () => {
    const path = '/oauth/callback?state=s&code=c';
    const head = await fetch(`${gateway.url}${path}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET']);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      for (const token of [null, gateway.token()])
        expect((await gateway.ask(method, path, { token })).status, method).toBe(token === null ? 401 : 405);
    expect(asks).toEqual([]);
  });
});
