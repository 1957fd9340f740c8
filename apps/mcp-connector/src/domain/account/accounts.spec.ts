import { ServerConfig, TenantId, type Digest } from '@uar/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { HandClock } from '../hand-clock.fixture.js';
import type { ExpandedServer } from '../upstream.js';
import { CallerTokens } from '../exchange/caller-tokens.js';
import { Accounts } from './accounts.js';
import { bindingOf } from './credentials.js';
import type { CredentialStore, Kept } from './ports.js';

const tenant = TenantId.parse('default');
const account = { tenant, server: 'notes' };
const use = { signal: new AbortController().signal };
const source = { issuer: 'https://as.example' };

function serverAt(url: string): ExpandedServer {
  const config = ServerConfig.parse({ transport: 'http', url, auth: { type: 'oauth', client_id: 'us' } });
  return { tenant, name: 'notes', config, secrets: [], binding: bindingOf(config) };
}

const before = serverAt('https://notes.example/mcp');
const after = serverAt('https://elsewhere.example/mcp');

const renewed = { all: false, decided: false };
const removed = { all: true, decided: true };

describe('the accounts that a connector uses', () => {
  let stored: Kept & { readonly binding: Digest };
  let accounts: Accounts;
  let lease: () => ReturnType<CredentialStore['lease']>;

  beforeEach(() => {
    stored = { revision: 1, binding: before.binding, credentials: { access_token: 'of-before', source } };
    const never = () => Promise.reject(new Error('not asked for here'));
    const store: CredentialStore = {
      read: (_account, binding) =>
        Promise.resolve(binding === stored.binding ? stored : { revision: stored.revision }),
      lease: () => lease(),
      ...{ write: never, release: never },
    };
    lease = never;
    accounts = new Accounts({
      ...{ store, clock: new HandClock(), callers: new CallerTokens(() => 0) },
      onNotExchanged: () => undefined,
      servers: {
        ...{ begin: never, finish: never, refresh: never, clientCredentials: never },
        ...{ exchange: never, revoke: never, issuer: never },
      },
    });
  });

  const tokenOf = (server: ExpandedServer) => accounts.bearer(server, account).token(use);

  it('are of one address: a server that moved gets no token that a call to the old address just read', async () => {
    accounts.changed(account, removed);
    expect(await tokenOf(before)).toEqual({ kind: 'token', token: 'of-before' });
    expect(await tokenOf(after)).toEqual({ kind: 'none' });
  });

  it('are read again, whatever address they are for, when they were written', async () => {
    await tokenOf(before);
    await tokenOf(after);
    stored = { revision: 2, binding: after.binding, credentials: { access_token: 'of-after', source } };
    accounts.changed({ ...account, principal: 'User::"default/ada"' }, renewed);
    expect(await tokenOf(after)).toEqual({ kind: 'none' });
    accounts.changed(account, renewed);
    expect(await tokenOf(before)).toEqual({ kind: 'none' });
    expect(await tokenOf(after)).toEqual({ kind: 'token', token: 'of-after' });
  });

  it('are not remembered of a server that was removed', async () => {
    const said = { scope: 'read' };
    lease = () => Promise.resolve({ kind: 'unavailable' });
    const one = accounts.bearer(before, account);
    await one.renew('of-before', said, use);
    expect(one.secrets()).toEqual(['of-before']);
    accounts.changed(account, removed);
    expect(accounts.bearer(before, account).secrets()).toEqual([]);
    expect(accounts.hintsOf(account, before.binding)).toEqual({});
  });

  it('know what the server says at its address of now alone', async () => {
    const said = { resourceMetadata: 'https://notes.example/.well-known/oauth-protected-resource' };
    lease = () => Promise.resolve({ kind: 'unavailable' });
    await accounts.bearer(before, account).renew('of-before', said, use);
    expect(accounts.hintsOf(account, before.binding)).toEqual(said);
    expect(accounts.hintsOf(account, after.binding)).toEqual({});
  });
});
