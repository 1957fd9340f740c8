import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until, type HttpAnswer } from '../http-spec/gateway.fixture.js';
import { oneHuman } from '../http-spec/neighbours.fixture.js';

const ports = { port: 0, management_port: 0, shutdown_grace_seconds: 4 };

describe('the approval pages', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await Gateway.start();
    gateway.neighbours.decide = oneHuman;
  });
  afterEach(() => gateway.stop());

  const own = () => ({ origin: gateway.url, 'sec-fetch-site': 'same-origin' });
  const waiting = async (args: object = {}): Promise<{ call: Promise<HttpAnswer>; id: string }> => {
    const call = gateway.execute('srv__write', { arguments: args });
    await until(() => gateway.neighbours.records.size === 1);
    const [id = ''] = gateway.neighbours.records.keys();
    return { call, id };
  };
  const post = async (
    path: string,
    members: Record<string, string>,
    { token = null, headers = own() }: { token?: string | null; headers?: object } = {},
  ): Promise<Response> =>
    fetch(`${gateway.url}${path}`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(members),
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
    });
  const bob = () => gateway.token('bob');
  const signedIn = async (token = bob()): Promise<string> => {
    const answer = await post('/approvals/sign-in', { token });
    return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  };

  it('show what would run, escaped, under strict headers', async () => {
    const { id } = await waiting({ text: '</pre><script>alert(1)</script>\u202e"\'&' });
    const page = await gateway.ask('GET', `/approvals/${id}`, { token: bob() });
    expect(page.status).toBe(200);
    expect(page.text).toContain('&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\u{202e}');
    expect(page.text).not.toContain('<script');
    expect(page.text).not.toContain('\u202e');
    const header = (name: string) => page.headers.get(name);
    expect(header('content-type')).toBe('text/html; charset=utf-8');
    expect(header('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
    expect(header('cache-control')).toBe('no-store');
    expect(header('x-content-type-options')).toBe('nosniff');
    expect(header('referrer-policy')).toBe('same-origin');
  });

  it('take a vote with a reason and lead back', async () => {
    const { call, id } = await waiting();
    const voted = await post(
      `/approvals/${id}`,
      { decision: 'approve', reason: ' looks <good> ' },
      { token: bob() },
    );
    expect([voted.status, voted.headers.get('location')]).toEqual([303, id]);
    expect((await call).body['outcome']).toBe('completed');
    const late = await post(`/approvals/${id}`, { decision: 'reject' }, { token: gateway.token('cyd') });
    expect(late.status).toBe(409);
    expect(await late.text()).toContain('Your vote came too late');
  });

  it('know nothing of what is not there, whatever its name', async () => {
    for (const id of [`appr_${'0'.repeat(32)}`, 'appr_1', '..%2fapi', '%00']) {
      const page = await gateway.ask('GET', `/approvals/${id}`, { token: bob() });
      expect([id, page.status]).toEqual([id, 404]);
      expect(page.text).toContain('<h1>Not found</h1>');
    }
  });

  it('ask whoever comes without a token to sign in, and come back', async () => {
    const { id } = await waiting();
    const page = await gateway.ask('GET', `/approvals/${id}`, { token: null });
    expect(page.status).toBe(401);
    expect(page.headers.get('www-authenticate')).toContain('Bearer');
    expect(page.text).toContain(`name="next" value="${id}"`);
    expect(page.text).not.toContain('srv__write');
    const answer = await post('/approvals/sign-in', { token: bob(), next: id });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, id]);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/; Path=\/approvals; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    expect(Number(/Max-Age=(\d+)/.exec(cookie)?.[1])).toBeLessThanOrEqual(300);
    const again = { token: null, headers: { cookie: cookie.split(';')[0] } };
    expect((await gateway.ask('GET', `/approvals/${id}`, again)).status).toBe(200);
    expect((await gateway.ask('GET', '/approvals', again)).text).toContain(`href="approvals/${id}"`);
  });

  it('send nobody elsewhere after the sign-in', async () => {
    for (const next of ['https://evil.example', '//evil.example', '/api', 'appr_1"'])
      expect((await post('/approvals/sign-in', { token: bob(), next })).headers.get('location')).toBe(
        '../approvals',
      );
  });

  it('keep a session to themselves', async () => {
    const cookie = await signedIn();
    for (const path of ['/api/uar/approvals', '/api/tools', '/mcp', '/openapi.json', '/approvals-not'])
      expect((await gateway.ask('GET', path, { token: null, headers: { cookie } })).status).toBe(401);
  });

  it('end a session with the sign-out, and refuse one that is none', async () => {
    const out = await post('/approvals/sign-out', {});
    expect(out.headers.get('set-cookie')).toContain('uar_approvals=; Path=/approvals; Max-Age=0');
    for (const cookie of ['uar_approvals=', 'uar_approvals=a.b.c', 'uar_approvals=a b', 'other=1']) {
      const page = await gateway.ask('GET', '/approvals', { token: null, headers: { cookie } });
      expect([cookie, page.status]).toEqual([cookie, 401]);
    }
    const bad = await post('/approvals/sign-in', { token: 'a.b.c' });
    expect([bad.status, bad.headers.get('set-cookie')]).toEqual([401, null]);
    expect((await post('/approvals/sign-in', { token: `a.${'b'.repeat(4_000)}.c` })).status).toBe(401);
  });

  it('take no form that a page of somebody else sent', async () => {
    const { id } = await waiting();
    const cookie = await signedIn();
    const foreign = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { ...own(), 'sec-fetch-site': 'cross-site' },
      {},
    ];
    for (const headers of foreign) {
      const voted = await post(
        `/approvals/${id}`,
        { decision: 'approve' },
        { headers: { cookie, ...headers } },
      );
      expect([headers, voted.status]).toEqual([headers, 403]);
      expect((await post('/approvals/sign-in', { token: bob() }, { headers })).status).toBe(403);
    }
    expect(gateway.neighbours.records.get(id)).toMatchObject({ status: 'pending', approvers: [] });
  });

  it('take no vote from an origin that may ask across origins', async () => {
    await gateway.stop();
    const origin = 'https://console.example';
    gateway = await Gateway.start({ server: { ...ports, allowed_origins: [origin] } });
    gateway.neighbours.decide = oneHuman;
    const { id } = await waiting();
    const voted = await post(
      `/approvals/${id}`,
      { decision: 'approve' },
      { token: bob(), headers: { origin } },
    );
    expect(voted.status).toBe(403);
    expect(gateway.neighbours.records.get(id)).toMatchObject({ status: 'pending', approvers: [] });
  });

  it('take forms alone, short ones, that fit', async () => {
    const { id } = await waiting();
    const json = await gateway.ask('POST', `/approvals/${id}`, {
      body: { decision: 'approve' },
      headers: own(),
      token: bob(),
    });
    expect(json.status).toBe(415);
    const bodies = [{}, { decision: 'maybe' }, { decision: 'approve', more: '1' }, { reason: 'x' }];
    for (const body of bodies)
      expect((await post(`/approvals/${id}`, body, { token: bob() })).status).toBe(400);
    const long = { decision: 'approve', reason: 'x'.repeat(20_000) };
    expect((await post(`/approvals/${id}`, long, { token: bob() })).status).toBe(413);
    expect(gateway.neighbours.records.get(id)).toMatchObject({ status: 'pending', approvers: [] });
  });

  it('are the only ones that take forms', async () => {
    const { id } = await waiting();
    const voted = await post(`/api/uar/approvals/${id}/decision`, { decision: 'approve' }, { token: bob() });
    expect(voted.status).toBe(415);
  });
});
