import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ReceiptBody,
  ServerConfig,
  beginConnection,
  finishConnection,
  forgetConnection,
  type AskOf,
} from '@uar/contracts';
import { createSeal } from '@uar/keys';
import { OAuthUpstream, withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LedgerCredentials } from '../adapters/accounts/ledger-credentials.js';
import { AuthorizationServer } from '../adapters/oauth/authorization-server.fixture.js';
import { World, tenant } from '../connector.fixture.js';
import { bindingOf } from '../domain/account/credentials.js';
import { accountLedger } from './accounts.fixture.js';

const redirect_uri = 'http://127.0.0.1:1906/oauth/callback';
const receiptOf = (action: string) =>
  ReceiptBody.parse({
    ...{ at: new Date(0).toISOString(), kind: 'admin', tenant, principal: 'User::"default/ada"' },
    ...{ governance: 'on', profile: 'minimal', action },
  });

withBothBuses('the connection of an account', (connect) => {
  let upstream: OAuthUpstream;
  let world: World;
  let ledger: Awaited<ReturnType<typeof accountLedger>>;
  const server = (placement: 'shared' | 'per_principal') => ({
    transport: 'http' as const,
    url: upstream.url,
    placement,
    auth: { type: 'oauth' as const },
  });
  const blank = () => ({
    ...server('shared'),
    auth: { type: 'oauth' as const, client_id: '${NO_SUCH_ONE}' },
  });
  const secretive = () => ({
    ...server('per_principal'),
    auth: { type: 'oauth' as const, client_id: 'known', client_secret: 'for one authorization server' },
  });
  beforeAll(async () => {
    upstream = await OAuthUpstream.start();
    ledger = await accountLedger(await connect('approval-service'));
    world = await World.start(connect, {
      ...{ notes: server('shared'), own: server('per_principal'), blank: blank(), secretive: secretive() },
    });
    await world.until('notes', ({ status }) => status === 'auth_required');
  });
  afterAll(async () => {
    await world.stop();
    await upstream.stop();
    await ledger.close();
  });

  async function ask<E extends Parameters<typeof world.gateway.ask>[0]>(exchange: E, body: AskOf<E>) {
    const reply = await world.gateway.ask(exchange, body);
    if (reply.kind !== 'answered') throw new Error(reply.kind);
    return reply.value;
  }
  const begin = (account: object = { tenant, server: 'notes' }) =>
    ask(
      beginConnection,
      beginConnection.ask.parse({ ...account, redirect_uri, receipt: receiptOf('server.connect') }),
    );
  const forget = (server = 'notes') =>
    ask(forgetConnection, { tenant, server, receipt: receiptOf('server.disconnect') });
  const receipts = async () =>
    (await ledger.listReceipts({ tenant, after: 0, limit: 100 })).receipts.map(({ action, at }) => [
      action,
      Date.parse(at) > 0,
    ]);
  async function agreed(account?: object): Promise<AskOf<typeof finishConnection>> {
    const begun = beginConnection.answer.parse(await begin(account));
    if (begun.kind !== 'begun') throw new Error(JSON.stringify(begun));
    const back = await upstream.visit(begun.authorization_url);
    return finishConnection.ask.parse(
      Object.fromEntries([...back.searchParams].filter(([name]) => name !== 'error_description')),
    );
  }
  const finish = (answer: AskOf<typeof finishConnection>) => ask(finishConnection, answer);

  it('is begun by a URL with PKCE and the resource, finished once, and makes the server ready', async () => {
    const begun = beginConnection.answer.parse(await begin());
    const query = begun.kind === 'begun' ? new URL(begun.authorization_url).searchParams : undefined;
    expect(query?.get('code_challenge_method')).toBe('S256');
    expect(query?.get('resource')).toBe(upstream.url);
    const answer = await agreed();
    expect(await receipts()).toEqual([]);
    expect(await finish(answer)).toEqual({ kind: 'connected', server: 'notes' });
    expect(await finish(answer)).toEqual({ kind: 'used' });
    expect(await receipts()).toEqual([['server.connect', true]]);
    await world.untilReady('notes');
    expect(await world.run('notes', 'whoami')).toMatchObject({ kind: 'ran' });
  });

  it('is renewed by a refresh token, once for all who need it', async () => {
    await upstream.forget();
    const before = (await upstream.tokenRequests()).length;
    const answers = await Promise.all(Array.from({ length: 8 }, () => world.run('notes', 'whoami')));
    expect(answers.map(({ kind }) => kind)).toEqual(answers.map(() => 'ran'));
    expect((await upstream.tokenRequests()).slice(before)).toEqual(['refresh_token 200']);
  });

  it('is forgotten, and taken back at the authorization server', async () => {
    const before = (await receipts()).length;
    expect(await forget()).toEqual({ kind: 'forgotten', revoked: true });
    expect(await forget()).toEqual({ kind: 'forgotten', revoked: false });
    expect((await receipts()).length).toBe(before + 1);
    expect(await world.run('notes', 'whoami')).toMatchObject({ kind: 'unavailable', cause: 'auth_required' });
    await world.until('notes', ({ status }) => status === 'auth_required');
  });

  it('is not begun while a placeholder has no value, and says which', async () => {
    expect(await begin({ tenant, server: 'blank' })).toEqual({
      ...{ kind: 'not_applicable', message: 'unresolved placeholders: NO_SUCH_ONE' },
    });
  });

  it('is forgotten though a placeholder has no value, and given back to nobody', async () => {
    const account = { tenant, server: 'blank' };
    const binding = bindingOf(ServerConfig.parse(blank()));
    const seal = createSeal(readFileSync(join(world.folder, 'keys', 'data.key'), 'utf8').trim());
    const store = new LedgerCredentials(await connect('mcp-connector'), seal);
    const source = { issuer: upstream.url, token_endpoint: upstream.url, takes_metadata_url: false };
    const credentials = { access_token: 'of a time when it had one', source };
    await store.write(account, { binding, ifRevision: 0, credentials });
    expect(await store.read(account, binding)).toMatchObject({ credentials });
    expect(await forget('blank')).toEqual({ kind: 'forgotten', revoked: false });
    expect(await store.read(account, binding)).toEqual({ revision: 2 });
  });

  it('tells each bad answer apart', async () => {
    expect(await finish({ state: 'nobody-began-this', code: 'x' })).toEqual({ kind: 'unknown' });
    const wrong = await agreed();
    expect(await finish({ ...wrong, iss: 'https://other.example' })).toEqual({
      kind: 'refused',
      message: 'the response does not come from the issuer that was asked',
    });
    expect(await finish(wrong)).toEqual({ kind: 'used' });
    const replayed = await agreed();
    const other = await agreed();
    expect(await finish(replayed)).toMatchObject({ kind: 'connected' });
    expect(await finish({ ...other, code: replayed.code })).toEqual({
      kind: 'authorization_needed',
      message: 'the authorization server refused: invalid_grant',
    });
    await upstream.mood('refusing');
    const refused = await agreed();
    expect(await finish(refused)).toEqual({
      kind: 'authorization_needed',
      message: 'the authorization server answered: access_denied',
    });
    await upstream.mood('silent');
    expect(await finish(await agreed())).toMatchObject({ kind: 'unreachable' });
    await upstream.mood('html');
    expect(await finish(await agreed())).toMatchObject({ kind: 'refused' });
    await upstream.mood('well');
  });

  it('is of one principal where everybody has their own', async () => {
    const [ada, bob] = ['User::"default/ada"', 'User::"default/bob"'];
    expect(await begin({ tenant, server: 'notes', principal: ada })).toMatchObject({
      kind: 'not_applicable',
    });
    expect(await begin({ tenant, server: 'none' })).toEqual({ kind: 'not_found' });
    expect(await finish(await agreed({ tenant, server: 'own' }))).toMatchObject({ kind: 'connected' });
    await world.untilReady('own');
    const missing = await world.run('own', 'whoami', { principal: ada });
    expect(missing).toMatchObject({ kind: 'unavailable', cause: 'own_auth_required' });
    await finish(await agreed({ tenant, server: 'own', principal: ada }));
    expect(await world.run('own', 'whoami', { principal: ada })).toMatchObject({ kind: 'ran' });
    expect(await world.run('own', 'whoami', { principal: bob })).toMatchObject({ kind: 'unavailable' });
  });

  it('of a client with a secret is begun at one authorization server, whoever begins, until the server is disconnected', async () => {
    const other = await AuthorizationServer.start();
    const [ada, bob] = ['User::"default/ada"', 'User::"default/bob"'];
    const startOf = async (principal: string): Promise<string> => {
      const begun = beginConnection.answer.parse(await begin({ tenant, server: 'secretive', principal }));
      return begun.kind === 'begun' ? new URL(begun.authorization_url).origin : JSON.stringify(begun);
    };
    expect(await startOf(ada)).toBe(upstream.issuer);
    await upstream.name(other.url);
    expect(await startOf(bob)).toContain('set auth.issuer, or disconnect the server and connect it again');
    await upstream.name(other.url, upstream.issuer);
    expect(await startOf(bob)).toBe(upstream.issuer);
    expect(await forget('secretive')).toEqual({ kind: 'forgotten', revoked: false });
    expect(await startOf(bob)).toBe(other.url);
    await upstream.name(upstream.issuer);
    await other.stop();
  });
});
