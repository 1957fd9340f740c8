import { ServerConfig, TenantId } from '@uar/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { HandClock } from '../hand-clock.fixture.js';
import type { ExpandedServer } from '../upstream.js';
import { AccountTokens } from './account-tokens.js';
import { bindingOf } from './credentials.js';
import { Shelf } from './shelf.fixture.js';

const tenant = TenantId.parse('default');
const config = ServerConfig.parse({
  ...{ transport: 'http', url: 'https://notes.example/mcp' },
  auth: { type: 'oauth', flow: 'client_credentials', client_id: 'us', client_secret: 's' },
});
const server: ExpandedServer = { tenant, name: 'notes', config, secrets: [], binding: bindingOf(config) };
const message = 'the upstream refuses the credentials (HTTP 401)';

describe('an upstream that refuses tokens as soon as they are there', () => {
  let clock: HandClock;
  let shelf: Shelf;
  let given: number;
  let tokens: AccountTokens;
  const credentials = (name: string) => ({ access_token: name, source: { issuer: 'https://as.example' } });
  const connector = (): AccountTokens => {
    const never = () => Promise.reject(new Error('not asked for here'));
    return new AccountTokens(
      { tenant, server: 'notes' },
      {
        ...{ store: shelf, clock },
        servers: {
          ...{ begin: never, finish: never, revoke: never, exchange: never, refresh: never, issuer: never },
          clientCredentials: () => {
            given += 1;
            return Promise.resolve({ kind: 'granted', credentials: credentials(`token-${given}`) });
          },
        },
      },
    );
  };
  beforeEach(() => {
    clock = new HandClock();
    shelf = new Shelf();
    shelf.kept = { revision: 1, credentials: credentials('token-0') };
    given = 0;
    tokens = connector();
  });

  /** A call: with the token, and once more with another one. */
  async function call(of = tokens): Promise<string> {
    const first = await of.token(server);
    const second = await of.renew(server, first.kind === 'token' ? first.token : undefined, {});
    if (second.kind === 'token') of.heard(message);
    return second.kind === 'auth_required' ? second.message : second.kind;
  }

  it('costs its authorization server one request, then one after 2 s, 4 s and so on up to 5 minutes', async () => {
    expect(await call()).toBe('token');
    for (const waitMs of [2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000]) {
      const before = given;
      await clock.pass(waitMs - 1);
      for (let n = 0; n < 3; n++) expect(await call()).toBe(message);
      expect(given).toBe(before);
      await clock.pass(1);
      expect(await call()).toBe('token');
      expect(given).toBe(before + 1);
    }
  });

  it('is given another token at once by another connector that got one, and held up by none', async () => {
    await call();
    shelf.kept = { revision: 9, credentials: credentials('theirs') };
    tokens.changed(false);
    expect(await tokens.renew(server, 'token-1', {})).toEqual({ kind: 'token', token: 'theirs' });
    expect(await call()).toBe(message);
    expect(given).toBe(1);
  });

  it('waits no longer once it took a token, or once somebody connected it again', async () => {
    for (const end of [() => tokens.heard(undefined), () => tokens.changed(true)]) {
      await call();
      await clock.pass(2_000);
      await call();
      expect(await call()).toBe(message);
      end();
      const before = given;
      expect(await call()).toBe('token');
      expect(given).toBe(before + 1);
      await clock.pass(2_000);
      expect(await call()).toBe('token');
      end();
    }
  });

  it('goes on waiting when the token was written, which its own connector hears too', async () => {
    await call();
    tokens.changed(false);
    expect(await call()).toBe(message);
    expect(given).toBe(1);
  });

  it('waits for no clock that was set back', async () => {
    await call();
    await clock.pass(-86_400_000);
    expect(await call()).toBe('token');
  });

  it('counts what was refused at the same time once', async () => {
    await call();
    for (let n = 0; n < 64; n++) tokens.heard(message);
    await clock.pass(2_000);
    expect(await call()).toBe('token');
  });
});
