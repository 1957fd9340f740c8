import type { AccountId, Digest } from '@uar/contracts';
import { LRUCache } from 'lru-cache';
import { unlessAborted } from '../unless-aborted.js';
import type { ExpandedServer } from '../upstream.js';
import { principalKey, serverKey } from './account-keys.js';
import { AccountTokens, type TokenParts } from './account-tokens.js';
import type { Bearer, Token } from './bearer.js';
import { ExchangedTokens, type ExchangeParts } from '../exchange/exchanged-tokens.js';
import type { Hints } from './ports.js';

export type AccountParts = TokenParts & ExchangeParts;

export interface Change {
  /** The server was removed: nothing of it is remembered. */
  readonly all: boolean;
  /** By somebody, not by a connector that renewed them. */
  readonly decided: boolean;
}

/** Principals whose callers' tokens are exchanged, by server; those that were not seen for longest begin anew. */
const mostExchanging = 4_096;
const givenUp: Token = { kind: 'unavailable', message: 'nobody waits any more' };

/** The accounts at upstreams that this connector uses: the one owner of their tokens. */
export class Accounts {
  /** By server, principal and binding: what a call to an address that was given up reads is for no other. */
  private readonly tokens = new Map<string, AccountTokens>();
  private readonly exchanged = new LRUCache<string, ExchangedTokens>({ max: mostExchanging });
  private readonly hints = new Map<string, Hints>();

  constructor(private readonly parts: AccountParts) {}

  bearer(server: ExpandedServer, account: AccountId): Bearer {
    const isExchanged = server.config.auth?.flow === 'token_exchange' && account.principal !== undefined;
    return isExchanged ? this.exchangingBearer(server, account) : this.keptBearer(server, account);
  }

  /** What the server said last of what it wants, to this connector, at the address of the binding. */
  hintsOf(account: AccountId, binding: Digest): Hints {
    return this.hints.get(hintsKey(account, binding)) ?? {};
  }

  /** Tokens were written or forgotten. */
  changed(account: AccountId, { all, decided }: Change): void {
    const start = all ? serverKey(account) : principalKey(account);
    for (const [key, tokens] of this.tokens)
      if (key.startsWith(start)) {
        tokens.changed(decided);
        if (all) this.tokens.delete(key);
      }
    if (!all) return;
    for (const key of this.hints.keys()) if (key.startsWith(start)) this.hints.delete(key);
    for (const key of this.exchanged.keys()) if (key.startsWith(start)) this.exchanged.delete(key);
  }

  private keptBearer(server: ExpandedServer, account: AccountId): Bearer {
    const tokens = this.tokensOf(account, server);
    return {
      token: ({ signal }) => within(signal, tokens.token(server)),
      renew: (refused, hints, { signal }) => {
        this.hints.set(hintsKey(account, server.binding), hints);
        return within(signal, tokens.renew(server, refused, hints));
      },
      heard: (refusal) => tokens.heard(refusal),
      secrets: () => tokens.secrets(),
      missing: account.principal === undefined ? 'auth_required' : 'own_auth_required',
    };
  }

  private exchangingBearer(server: ExpandedServer, account: AccountId): Bearer {
    const tokens = (): ExchangedTokens => this.exchangedOf(account, server);
    return {
      token: ({ signal, callId }) => within(signal, tokens().token({ server, callId })),
      renew: (refused, hints, { signal, callId }) =>
        within(signal, tokens().renew(refused, hints, { server, callId })),
      heard: (refusal, { callId }) => tokens().heard(refusal, callId),
      secrets: () => tokens().secrets(),
      missing: 'exchange_refused',
    };
  }

  private exchangedOf(account: AccountId, { binding }: ExpandedServer): ExchangedTokens {
    const key = `${principalKey(account)}${binding}`;
    const known = this.exchanged.get(key) ?? new ExchangedTokens(account, this.parts);
    this.exchanged.set(key, known);
    return known;
  }

  private tokensOf(account: AccountId, { binding }: ExpandedServer): AccountTokens {
    const key = `${principalKey(account)}${binding}`;
    const known = this.tokens.get(key) ?? new AccountTokens(account, this.parts);
    this.tokens.set(key, known);
    return known;
  }
}

async function within(signal: AbortSignal, token: Promise<Token>): Promise<Token> {
  return (await unlessAborted(token, signal)) ?? givenUp;
}

function hintsKey(account: AccountId, binding: Digest): string {
  return `${serverKey(account)}${binding}`;
}

/** Whose account is used: that of the principal where everybody has a session of their own, else that of the server. */
export function accountOf(
  { tenant, name, config }: Pick<ExpandedServer, 'tenant' | 'name' | 'config'>,
  principal: string | undefined,
): AccountId {
  const isOwn = config.auth?.flow !== 'client_credentials' && config.placement === 'per_principal';
  return { tenant, server: name, ...(isOwn && principal !== undefined ? { principal } : {}) };
}
