import { CallerTokenClaims, type HostAnswer } from '@uar/contracts';
import { encryptTo } from '@uar/keys';
import { OAuthUpstream, withBothBuses } from '@uar/testkit';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { World, tenant, type RunAsk } from '../connector.fixture.js';
import { accountLedger } from './accounts.fixture.js';

const issuerSecret = 'secret-by-which-the-tokens-of-callers-are-signed';
const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const [ada, bob, stranger] = ['ada', 'bob', 'stranger'].map((name) => `User::"default/${name}"`);

withBothBuses('tokens of callers', (connect) => {
  let upstream: OAuthUpstream;
  let world: World;
  let ledger: Awaited<ReturnType<typeof accountLedger>>;
  beforeAll(async () => {
    upstream = await OAuthUpstream.start();
    await upstream.trust(issuerSecret);
    ledger = await accountLedger(await connect('approval-service'));
    world = await World.start(connect, {
      notes: {
        ...{ transport: 'http', url: upstream.url, placement: 'per_principal', concurrency: 64 },
        auth: {
          ...{ type: 'oauth', flow: 'token_exchange', token_endpoint: `${upstream.issuer}/token` },
          ...{ client_id: 'exchanger', client_secret: 'secret-of-the-exchanging-client' },
        },
      },
    });
    await world.untilReady('notes');
  });
  afterAll(async () => {
    await world.stop();
    await upstream.stop();
    await ledger.close();
  });

  const jwtOf = async (sub: string): Promise<string> =>
    await new SignJWT({ sub, jti: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(issuerSecret));
  async function asked(
    principal: string | undefined,
    token?: string,
    { args = {}, ...changes }: { readonly args?: object; readonly [claim: string]: unknown } = {},
  ): Promise<RunAsk> {
    const ask = await world.ask('notes', 'whoami', { principal: principal ?? '', args });
    const key = world.beats.at(-1)?.token_key;
    if (token === undefined || key === undefined) return ask;
    const { call_id, server } = ask;
    const claims = { call_id, tenant, server, token, expires_at: Date.now() + 60_000, ...changes };
    return { ...ask, caller_token: await encryptTo(key, JSON.stringify(CallerTokenClaims.parse(claims))) };
  }
  const run = async (principal: string | undefined, token?: string, changes = {}): Promise<HostAnswer> =>
    await world.send(await asked(principal, token, changes));
  const named = (name: string) => ({ kind: 'ran', result_json: expect.stringContaining(`"text":"${name}"`) });
  const refused = (cause: string) => ({ kind: 'unavailable', cause });
  const exchanges = async () =>
    (await upstream.tokenRequests()).filter((request) => request.startsWith(exchange));

  it('are exchanged for tokens by which each acts as themselves', async () => {
    expect(await run(ada, await jwtOf('ada'))).toMatchObject(named('ada'));
    expect(await run(bob, await jwtOf('bob'))).toMatchObject(named('bob'));
    expect(await exchanges()).toEqual([`${exchange} 200`, `${exchange} 200`]);
  });

  it('are exchanged once for all calls that come with the same one', async () => {
    const token = await jwtOf('ada');
    const before = (await exchanges()).length;
    const answers = await Promise.all(Array.from({ length: 32 }, () => run(ada, token)));
    expect(answers.filter(({ kind }) => kind !== 'ran')).toEqual([]);
    expect((await exchanges()).length - before).toBe(1);
  });

  it('are exchanged anew where the upstream refuses what was got', async () => {
    const token = await jwtOf('ada');
    expect(await run(ada, token)).toMatchObject(named('ada'));
    await upstream.forget();
    expect(await run(ada, token)).toMatchObject(named('ada'));
  });

  it('go to the authorization server alone, and into no report', async () => {
    const token = await jwtOf('ada');
    expect(await run(ada, token)).toMatchObject(named('ada'));
    const recorded = await upstream.recorded();
    expect(JSON.stringify(recorded.filter(({ at }) => at === 'token'))).toContain(token);
    expect(JSON.stringify(recorded.filter(({ at }) => at === 'mcp'))).not.toContain(token);
    expect(JSON.stringify(world.beats)).not.toContain(token);
  });

  it('that are missing, ended or of another call let nothing run', async () => {
    const token = await jwtOf('ada');
    for (const changes of [
      { expires_at: Date.now() - 1 },
      { call_id: `call_${'0'.repeat(32)}` },
      { server: 'other' },
      { tenant: 'other' },
    ])
      expect(await run(ada, token, changes)).toMatchObject(refused('caller_token_missing'));
    expect(await run(ada)).toMatchObject(refused('caller_token_missing'));
    const garbled = { ...(await asked(ada, token)), caller_token: 'e30.a.b.c.d' };
    expect(await world.send(garbled)).toMatchObject(refused('caller_token_missing'));
    expect(await run(ada, token)).toMatchObject(named('ada'));
  });

  it('that nobody exchanges let nothing run, and disturb no other', async () => {
    const answers = await Promise.all([
      run(stranger, await jwtOf('stranger')),
      run(bob, await jwtOf('bob')),
      run(ada, 'no.jwt.at-all'),
    ]);
    expect(answers).toMatchObject([refused('exchange_refused'), named('bob'), refused('exchange_refused')]);
    expect(JSON.stringify(answers)).not.toContain('at-all');
    expect(world.report('notes')).toMatchObject({ status: 'ready' });
  });

  it('that are refused leave the session of their principal to the calls that run in it', async () => {
    const slow = run(ada, await jwtOf('ada'), { args: { wait_ms: 400 } });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await run(ada)).toMatchObject(refused('caller_token_missing'));
    expect(await run(ada, 'no.jwt.at-all')).toMatchObject(refused('exchange_refused'));
    expect(await slow).toMatchObject(named('ada'));
  });
});
