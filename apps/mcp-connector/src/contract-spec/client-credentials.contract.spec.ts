import { OAuthUpstream, withBothBuses } from '@uar/testkit';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AuthorizationServer } from '../adapters/oauth/authorization-server.fixture.js';
import { World, tenant } from '../connector.fixture.js';
import { accountLedger } from './accounts.fixture.js';

const secret = 'secret-of-the-machine-client';

withBothBuses('credentials of a client itself', (connect) => {
  let upstream: OAuthUpstream;
  let world: World;
  let ledger: Awaited<ReturnType<typeof accountLedger>>;
  const server = (client_secret = secret) => ({
    transport: 'http' as const,
    url: upstream.url,
    concurrency: 64,
    auth: {
      type: 'oauth' as const,
      flow: 'client_credentials' as const,
      client_id: 'machine',
      client_secret,
    },
  });
  beforeAll(async () => {
    upstream = await OAuthUpstream.start();
    ledger = await accountLedger(await connect('approval-service'));
    world = await World.start(connect, { notes: server() });
    await world.untilReady('notes');
  });
  afterAll(async () => {
    await world.stop();
    await upstream.stop();
    await ledger.close();
  });

  it('are got when the upstream asks for them, and kept sealed', async () => {
    expect(await world.run('notes', 'whoami')).toMatchObject({ kind: 'ran', is_error: false });
    expect(await upstream.tokenRequests()).toEqual(['client_credentials 200']);
    const { stored } = await ledger.readAccount({ account: { tenant, server: 'notes' } });
    expect(stored.sealed).toMatch(/^v1\./);
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it('are renewed once, however many calls find at the same time that they are good no more', async () => {
    await upstream.forget();
    const before = (await upstream.tokenRequests()).length;
    const answers = await Promise.all(Array.from({ length: 64 }, () => world.run('notes', 'whoami')));
    expect(answers.map(({ kind }) => kind)).toEqual(answers.map(() => 'ran'));
    expect((await upstream.tokenRequests()).slice(before)).toEqual(['client_credentials 200']);
  });

  it('are got once by two connectors that need others at the same time', async () => {
    const second = await World.start(
      connect,
      { notes: server() },
      { keys: { data_key_file: join(world.folder, 'keys', 'data.key') } },
    );
    await second.untilReady('notes');
    await upstream.forget();
    const before = (await upstream.tokenRequests()).length;
    const answers = await Promise.all(
      [world, second].flatMap((one) => Array.from({ length: 32 }, () => one.run('notes', 'whoami'))),
    );
    expect(answers.filter(({ kind }) => kind !== 'ran')).toEqual([]);
    expect((await upstream.tokenRequests()).slice(before)).toEqual(['client_credentials 200']);
    await second.stop();
  });

  it('are asked for at no authorization server that the upstream names later', async () => {
    const other = await AuthorizationServer.start();
    await upstream.name(other.url, upstream.issuer);
    await upstream.forget();
    expect(await world.run('notes', 'whoami')).toMatchObject({ kind: 'ran' });
    await upstream.name(other.url);
    await upstream.forget();
    const refused = await world.run('notes', 'whoami');
    expect(refused).toMatchObject({ kind: 'unavailable', cause: 'auth_required' });
    expect(JSON.stringify(refused)).toContain('another authorization server than before');
    await upstream.name(upstream.issuer);
    expect(other.asked.filter(({ method }) => method === 'POST')).toEqual([]);
    await other.stop();
  });

  it('that are refused leave the server waiting for others, and say no secret', async () => {
    world.want({ notes: server(), wrong: server('planted-wrong-secret') });
    const report = await world.until('wrong', ({ status }) => status === 'auth_required');
    expect(report.last_error).toBe('the authorization server refused: invalid_client');
    world.want({ notes: server() });
  });

  it('are asked for once by calls to an upstream that takes none of them', async () => {
    world.want({ picky: { ...server(), placement: 'per_principal' as const } });
    await world.untilReady('picky');
    const asks = await Promise.all(
      Array.from({ length: 5 }, (_, n) =>
        world.ask('picky', 'whoami', { principal: `User::"default/u${n}"` }),
      ),
    );
    await upstream.mood('distrusting');
    const before = (await upstream.tokenRequests()).length;
    for (const ask of asks) {
      const end = await world.send(ask);
      expect(end).toMatchObject({ kind: 'unavailable', cause: 'auth_required' });
      expect(JSON.stringify(end)).toContain('refuses the credentials');
    }
    expect((await upstream.tokenRequests()).slice(before)).toEqual(['client_credentials 200']);
  });
});
