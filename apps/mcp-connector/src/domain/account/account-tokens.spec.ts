import { ServerConfig, TenantId } from '@uar/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { HandClock, settle } from '../hand-clock.fixture.js';
import type { ExpandedServer } from '../upstream.js';
import { AccountTokens } from './account-tokens.js';
import { bindingOf, type Credentials } from './credentials.js';
import type { Granted } from './ports.js';
import { Shelf } from './shelf.fixture.js';

const tenant = TenantId.parse('default');
const config = ServerConfig.parse({
  ...{ transport: 'http', url: 'https://notes.example/mcp' },
  auth: { type: 'oauth', client_id: 'us' },
});
const server: ExpandedServer = { tenant, name: 'notes', config, secrets: [], binding: bindingOf(config) };
const account = { tenant, server: 'notes' };
const source = { issuer: 'https://as.example' };

describe('the tokens of an account', () => {
  let clock: HandClock;
  let shelf: Shelf;
  let refreshed: string[];
  let asked: unknown[];
  let answer: () => Granted | Promise<Granted>;
  let tokens: AccountTokens;
  const given = (name: string, lifeMs?: number): Credentials => ({
    ...{ access_token: `access-${name}`, refresh_token: `refresh-${name}`, source },
    ...(lifeMs === undefined ? {} : { expires_at: clock.now() + lifeMs }),
  });
  const granted = (name: string, lifeMs?: number) => () =>
    ({ kind: 'granted', credentials: given(name, lifeMs) }) as const;
  const token = (name: string) => ({ kind: 'token', token: `access-${name}` });

  beforeEach(() => {
    clock = new HandClock();
    shelf = new Shelf();
    refreshed = [];
    asked = [];
    answer = granted('two');
    const never = () => Promise.reject(new Error('not asked for here'));
    tokens = new AccountTokens(account, {
      ...{ store: shelf, clock },
      servers: {
        ...{ begin: never, finish: never, revoke: never, exchange: never, issuer: never },
        clientCredentials: (_server, wanted) => {
          asked.push(wanted);
          return Promise.resolve(granted('machine')());
        },
        refresh: async (_server, { refresh_token = '' }) => {
          refreshed.push(refresh_token);
          return await answer();
        },
      },
    });
  });

  it('are none until somebody connects', async () => {
    expect(await tokens.token(server)).toEqual({ kind: 'none' });
    expect((await tokens.renew(server, undefined, {})).kind).toBe('auth_required');
    expect(refreshed).toEqual([]);
  });

  it('are not renewed where more scopes are wanted: only somebody can agree to more', async () => {
    shelf.kept = { revision: 1, credentials: given('one') };
    expect(await tokens.renew(server, 'access-one', { error: 'insufficient_scope' })).toEqual({
      ...{ kind: 'auth_required' },
      message: 'the upstream wants more scopes than were agreed to: connect it again',
    });
    expect(refreshed).toEqual([]);
    expect(shelf.kept.credentials).toEqual(given('one'));
  });

  it('of a client that needs nobody are asked for with those it had, so that more scopes are wanted besides', async () => {
    shelf.kept = { revision: 1, credentials: given('one') };
    const auth = { type: 'oauth', flow: 'client_credentials', client_id: 'us', client_secret: 's' };
    const machine = { ...server, config: ServerConfig.parse({ ...config, auth }) };
    const hints = { error: 'insufficient_scope', scope: 'more' };
    expect(await tokens.renew(machine, 'access-one', hints)).toEqual(token('machine'));
    expect(asked).toEqual([{ hints, earlier: given('one'), pinned: source.issuer }]);
  });

  it('hold up no other connector where there are none to renew', async () => {
    await tokens.renew(server, undefined, {});
    expect(shelf.isLent).toBe(false);
  });

  it('are used until shortly before their end, then renewed once for all who ask', async () => {
    shelf.kept = { revision: 1, credentials: given('one', 3_600_000) };
    await tokens.token(server);
    await clock.pass(3_569_999);
    expect(await tokens.token(server)).toEqual(token('one'));
    await clock.pass(1);
    const all = await Promise.all(Array.from({ length: 64 }, () => tokens.token(server)));
    expect(new Set(all.map((one) => JSON.stringify(one)))).toEqual(new Set([JSON.stringify(token('two'))]));
    expect(refreshed).toEqual(['refresh-one']);
    expect(shelf.kept).toMatchObject({ revision: 2, credentials: { refresh_token: 'refresh-two' } });
  });

  it('without a time of their end are used until they are refused', async () => {
    shelf.kept = { revision: 1, credentials: given('one') };
    await clock.pass(10 * 365 * 86_400_000);
    expect(await tokens.token(server)).toEqual(token('one'));
    expect(await tokens.renew(server, 'access-one', {})).toEqual(token('two'));
    expect(await tokens.renew(server, 'access-one', {})).toEqual(token('two'));
    expect(refreshed).toEqual(['refresh-one']);
  });

  it('survive a clock that is set back, and one that jumps ahead costs one renewal', async () => {
    shelf.kept = { revision: 1, credentials: given('one', 60_000) };
    await tokens.token(server);
    await clock.pass(-3_600_000);
    expect(await tokens.token(server)).toEqual(token('one'));
    answer = granted('two', 365 * 86_400_000);
    await clock.pass(86_400_000);
    expect(await tokens.token(server)).toEqual(token('two'));
    expect(refreshed).toHaveLength(1);
  });

  it('are used on while their authorization server is away, until their very end', async () => {
    shelf.kept = { revision: 1, credentials: given('one', 60_000) };
    answer = () => ({ kind: 'unreachable', message: 'away' });
    await tokens.token(server);
    await clock.pass(50_000);
    expect(await tokens.token(server)).toEqual(token('one'));
    expect(refreshed).toHaveLength(1);
    await clock.pass(10_000);
    expect(await tokens.token(server)).toEqual({ kind: 'unavailable', message: 'away' });
    expect(shelf.kept.credentials?.refresh_token).toBe('refresh-one');
    answer = granted('two');
    await clock.pass(2_000);
    expect(await tokens.token(server)).toEqual(token('two'));
  });

  it('hold nobody up who has one that is still good, while another connector renews them or died of it', async () => {
    shelf.kept = { revision: 1, credentials: given('one', 60_000) };
    await tokens.token(server);
    await clock.pass(50_000);
    shelf.heldByOther = true;
    const held = tokens.token(server);
    await settle();
    await clock.pass(1_000);
    expect(await held).toEqual(token('one'));
    shelf.heldByOther = false;
    await clock.pass(100);
    expect(await tokens.token(server)).toEqual(token('two'));
    expect(refreshed).toHaveLength(1);
  });

  it('are asked for no more often than every two seconds while that is refused', async () => {
    shelf.kept = { revision: 1, credentials: given('one') };
    answer = () => ({ kind: 'refused', message: 'no' });
    for (let n = 0; n < 5; n++)
      expect((await tokens.renew(server, 'access-one', {})).kind).toBe('auth_required');
    expect(refreshed).toHaveLength(1);
    expect(shelf.kept.credentials?.refresh_token).toBe('refresh-one');
  });

  it('are forgotten when what was agreed to is good no more', async () => {
    shelf.kept = { revision: 1, credentials: given('one') };
    answer = () => ({ kind: 'authorization_needed', message: 'connect again' });
    expect((await tokens.renew(server, 'access-one', {})).kind).toBe('auth_required');
    expect(shelf.kept).toEqual({ revision: 2 });
  });

  it('leave behind who alone may see the secret of the client', async () => {
    shelf.kept = { revision: 1, credentials: given('one') };
    answer = () => ({ kind: 'authorization_needed', message: 'connect again' });
    const auth = { type: 'oauth', client_id: 'us', client_secret: 's' };
    const secretive = { ...server, config: ServerConfig.parse({ ...config, auth }) };
    expect((await tokens.renew(secretive, 'access-one', {})).kind).toBe('auth_required');
    expect(shelf.kept).toEqual({ revision: 2, issuer: source.issuer });
  });

  it('are hidden from what is said of them while they are read again, and after they were replaced', async () => {
    shelf.kept = { revision: 1, credentials: given('one') };
    await tokens.token(server);
    await tokens.renew(server, 'access-one', {});
    tokens.changed(false);
    expect(tokens.secrets()).toEqual(
      expect.arrayContaining(['access-one', 'refresh-one', 'access-two', 'refresh-two']),
    );
    for (let n = 3; n < 50; n++) {
      shelf.kept = { revision: n, credentials: given(`${n}`) };
      tokens.changed(false);
      await tokens.token(server);
    }
    expect(tokens.secrets()).toContain('access-49');
    expect(tokens.secrets().length).toBeLessThanOrEqual(16);
  });

  it('of another connector are taken over instead of renewed', async () => {
    shelf.kept = { revision: 1, credentials: given('one') };
    await tokens.token(server);
    shelf.heldByOther = true;
    const renewing = tokens.renew(server, 'access-one', {});
    await settle();
    shelf.kept = { revision: 2, credentials: given('theirs') };
    await clock.pass(100);
    expect(await renewing).toEqual(token('theirs'));
    expect(refreshed).toEqual([]);
  });

  /** The ledger goes away while they are renewed. */
  async function unwritten(): Promise<void> {
    shelf.kept = { revision: 1, credentials: given('one') };
    await tokens.token(server);
    answer = () => {
      shelf.isAway = true;
      return granted('two')();
    };
    const renewing = tokens.renew(server, 'access-one', {});
    for (let n = 0; n < 4; n++) {
      await settle();
      await clock.pass(1_000);
    }
    expect(await renewing).toEqual(token('two'));
  }

  it('that could not be written are kept here, and used for the next renewal', async () => {
    await unwritten();
    tokens.changed(false);
    expect(await tokens.token(server)).toEqual(token('two'));
    shelf.isAway = false;
    answer = granted('three');
    expect(await tokens.renew(server, 'access-two', {})).toEqual(token('three'));
    expect(refreshed).toEqual(['refresh-one', 'refresh-two']);
    expect(shelf.kept).toMatchObject({ revision: 2, credentials: { refresh_token: 'refresh-three' } });
  });

  it('that could not be written are given up when somebody forgot the account meanwhile', async () => {
    await unwritten();
    shelf.isAway = false;
    shelf.kept = { revision: 2 };
    tokens.changed(false);
    expect(await tokens.token(server)).toEqual({ kind: 'none' });
  });

  it('that could not be written, and are then refused for good, are not remembered', async () => {
    await unwritten();
    shelf.isAway = false;
    answer = () => ({ kind: 'authorization_needed', message: 'connect again' });
    expect((await tokens.renew(server, 'access-two', {})).kind).toBe('auth_required');
    expect(await tokens.token(server)).toEqual({ kind: 'none' });
    shelf.kept = { revision: 3, credentials: given('again') };
    tokens.changed(false);
    expect(await tokens.token(server)).toEqual(token('again'));
  });
});
