import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenScopes } from '../domain/access/token-scopes.js';
import type { Route } from '../http/route.js';
import { routes } from '../http/routes.js';
import { Gateway } from './gateway.fixture.js';

const scoped = Object.entries<Route>(routes).filter(([, { scope }]) => scope !== 'none');
const execute = '/api/tools/srv__echo/execute';

describe('scopes of tokens', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.stop());

  const asked = (route: Route, token: string) =>
    gateway.ask(route.method.toUpperCase(), (route.paths[0] ?? '').replace(/:\w+/g, 'x1'), {
      token,
      ...(route.method === 'get' ? {} : { body: {} }),
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(5_000),
    });

  it.each(scoped)('of %s: the others do not do, and the answer says which would', async (_name, route) => {
    const { scope } = route;
    const others = tokenScopes.filter(
      (it) => it !== scope && !(it === 'tools:call' && scope === 'tools:read'),
    );
    const answer = await asked(route, gateway.scoped(...others, 'openid'));
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer realm="uar", error="insufficient_scope", scope="${[scope, ...others].join(' ')}"`,
    );
    if (route.media === 'text/html') expect(answer.text).toContain(`lacks the scope ${scope}`);
    else
      expect(answer.body).toEqual({
        error: {
          code: 'insufficient_scope',
          message: `The token lacks the scope ${scope}.`,
          details: { required: [scope] },
        },
      });
  });

  it.each(scoped.filter(([, { media }]) => media !== 'text/event-stream'))(
    'of %s: its own gets past the scope',
    async (_name, route) => {
      const { status, body } = await asked(route, gateway.scoped(route.scope));
      expect([status, body['error']?.['code']]).not.toContain('insufficient_scope');
      expect(status).not.toBe(401);
    },
  );

  it('run nothing that they do not cover', async () => {
    gateway.neighbours.calls.length = 0;
    const body = { arguments: { text: 'a' } };
    const reader = gateway.scoped('tools:read');
    expect((await gateway.ask('POST', execute, { body, token: reader })).status).toBe(403);
    expect(gateway.neighbours.calls).toEqual([]);
    const callers = gateway.scoped('tools:call');
    expect((await gateway.ask('POST', execute, { body, token: callers })).status).toBe(200);
    expect((await gateway.ask('GET', '/api/tools', { token: callers })).status).toBe(200);
    expect((await gateway.ask('GET', '/api/uar/receipts', { token: callers })).status).toBe(403);
    const metrics = await (await fetch(`${gateway.management}/metrics`)).text();
    expect(metrics).toMatch(/uar_unauthorized_total\{[^}]*cause="insufficient_scope"[^}]*\} [1-9]/);
  });

  it('are exact words: neither prefixes nor other spellings do', async () => {
    for (const scope of ['tools', 'tools:*', 'Tools:read', 'tools:read2', '*'])
      expect([
        scope,
        (await gateway.ask('GET', '/api/tools', { token: gateway.scoped(scope) })).status,
      ]).toEqual([scope, 403]);
  });

  it('do not widen what Cedar allows', async () => {
    gateway.neighbours.may = () => false;
    const { status, body } = await gateway.ask('GET', '/api/tools', {
      token: gateway.scoped(...tokenScopes),
    });
    expect([status, body['error']?.['code']]).toEqual([403, 'policy_denied']);
    gateway.neighbours.may = () => true;
  });

  it('hold for the event stream as a WebSocket', async () => {
    const refused = new WebSocket(`${gateway.url.replace('http', 'ws')}/api/uar/events`, {
      headers: { authorization: `Bearer ${gateway.scoped('admin')}` },
    });
    const head = await new Promise<[number | undefined, string | undefined]>((resolve, reject) => {
      refused.once('unexpected-response', (_request, { statusCode, headers }) =>
        resolve([statusCode, headers['www-authenticate']]),
      );
      refused.once('open', () => reject(new Error('the socket opened')));
      refused.once('error', () => undefined);
    });
    refused.terminate();
    expect(head).toEqual([403, 'Bearer realm="uar", error="insufficient_scope", scope="tools:read admin"']);
  });

  it('of a token for signing in to the pages are looked at before there is a session', async () => {
    const signIn = (token: string) =>
      fetch(`${gateway.url}/approvals/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: gateway.url },
        body: new URLSearchParams({ token }),
      });
    const refused = await signIn(gateway.scoped('tools:call'));
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([401, null]);
    expect(await refused.text()).toContain('lacks the scope approvals:decide');
    expect((await signIn(gateway.scoped('approvals:decide'))).status).toBe(303);
  });
});

describe('security.require_scopes', () => {
  it('holds tokens without scopes to them too', async () => {
    const secret = 'a-secret-of-more-than-thirty-two-bytes';
    const gateway = await Gateway.start({ security: { jwt_secret: secret, require_scopes: true } });
    const bare = await gateway.ask('GET', '/api/tools');
    expect([bare.status, bare.body['error']?.['code'], bare.headers.get('www-authenticate')]).toEqual([
      403,
      'insufficient_scope',
      'Bearer realm="uar", error="insufficient_scope", scope="tools:read"',
    ]);
    const token = gateway.scoped('tools:read');
    expect((await gateway.ask('GET', '/api/tools', { token })).status).toBe(200);
    await gateway.stop();
  });
});
