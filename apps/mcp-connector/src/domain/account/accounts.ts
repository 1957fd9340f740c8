import type { AccountId, Digest } from '@uar/contracts';
import { unlessAborted } from '../unless-aborted.js';
import type { ExpandedServer, MissingCredentials } from '../upstream.js';
import { AccountTokens, type Token, type TokenParts } from './account-tokens.js';
import type { Hints } from './ports.js';

/** What proves the connector to one upstream, for whom it acts there. */
export interface Bearer {
  token(signal: AbortSignal): Promise<Token>;
  /** Another one than the one that was refused, if there can be. */
  renew(refused: string | undefined, hints: Hints, signal: AbortSignal): Promise<Token>;
  /** What no report or answer may repeat. */
  secrets(): readonly string[];
  /** What is missing where there is no token. */
  readonly missing: MissingCredentials;
}

const givenUp: Token = { kind: 'unavailable', message: 'nobody waits any more' };

/** The accounts at upstreams that this connector uses: the one owner of their tokens. */
export class Accounts {
  /** By server, principal and binding: what a call to an address that was given up reads is for no other. */
  private readonly tokens = new Map<string, AccountTokens>();
  private readonly hints = new Map<string, Hints>();

  constructor(private readonly parts: TokenParts) {}

  bearer(server: ExpandedServer, account: AccountId): Bearer {
    const tokens = this.tokensOf(account, server);
    const within = async (signal: AbortSignal, token: Promise<Token>): Promise<Token> =>
      (await unlessAborted(token, signal)) ?? givenUp;
    return {
      token: (signal) => within(signal, tokens.token(server)),
      renew: (refused, hints, signal) => {
        this.hints.set(hintsKey(account, server.binding), hints);
        return within(signal, tokens.renew(server, refused, hints));
      },
      secrets: () => tokens.secrets(),
      missing: account.principal === undefined ? 'auth_required' : 'own_auth_required',
    };
  }

  /** What the server said last of what it wants, to this connector, at the address of the binding. */
  hintsOf(account: AccountId, binding: Digest): Hints {
    return this.hints.get(hintsKey(account, binding)) ?? {};
  }

  /** Tokens were written or forgotten, by whomever; `all`: the server was removed, and nothing of it is remembered. */
  changed(account: AccountId, all: boolean): void {
    const start = all ? serverKey(account) : principalKey(account);
    for (const [key, tokens] of this.tokens)
      if (key.startsWith(start)) {
        tokens.changed();
        if (all) this.tokens.delete(key);
      }
    if (all) for (const key of this.hints.keys()) if (key.startsWith(start)) this.hints.delete(key);
  }

  private tokensOf(account: AccountId, { binding }: ExpandedServer): AccountTokens {
    const key = `${principalKey(account)}${binding}`;
    const known = this.tokens.get(key) ?? new AccountTokens(account, this.parts);
    this.tokens.set(key, known);
    return known;
  }
}

/** Neither tenants nor names of servers hold a slash. */
function serverKey({ tenant, server }: AccountId): string {
  return `${tenant}/${server}/`;
}

function hintsKey(account: AccountId, binding: Digest): string {
  return `${serverKey(account)}${binding}`;
}

/** As JSON, so that no principal's begins with another's. */
function principalKey(account: AccountId): string {
  return `${serverKey(account)}${JSON.stringify(account.principal ?? '')}`;
}

/** Whose account is used: that of the principal where everybody has a session of their own, else that of the server. */
export function accountOf(
  { tenant, name, config }: Pick<ExpandedServer, 'tenant' | 'name' | 'config'>,
  principal: string | undefined,
): AccountId {
  const isOwn = config.auth?.flow === 'authorization_code' && config.placement === 'per_principal';
  return { tenant, server: name, ...(isOwn && principal !== undefined ? { principal } : {}) };
}
