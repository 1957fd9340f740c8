import type {
  AccountId,
  AnswerOf,
  AskOf,
  beginConnection,
  finishConnection,
  forgetConnection,
} from '@uar/contracts';
import type { Clock } from '../clock.js';
import type { ExpandedServer } from '../upstream.js';
import type { Accounts } from './accounts.js';
import type { AuthorizationServers, AuthorizationStore, CredentialStore, Kept } from './ports.js';

export interface ConnectionParts {
  readonly accounts: Accounts;
  readonly servers: AuthorizationServers;
  readonly store: CredentialStore;
  readonly authorizations: AuthorizationStore;
  readonly clock: Clock;
  /** With the placeholders' values of now. */
  readonly find: (account: AccountId) => Found;
}

type Found =
  | { readonly kind: 'expanded'; readonly server: ExpandedServer }
  /** Names of placeholders without a value. */
  | { readonly kind: 'unresolved'; readonly missing: readonly string[] }
  | { readonly kind: 'not_found' };

type Finished = AnswerOf<typeof finishConnection>;

/** So long somebody may take to agree. */
const lifeMs = 10 * 60_000;
/** Writes that met somebody else's. */
const mostTries = 5;
const away = { kind: 'unreachable', message: 'the ledger does not answer' } as const;

/** Somebody agrees to an account, or takes that back. Any connector begins, and any other may finish. */
export class Connections {
  constructor(private readonly parts: ConnectionParts) {}

  async begin({
    redirect_uri,
    ...account
  }: AskOf<typeof beginConnection>): Promise<AnswerOf<typeof beginConnection>> {
    const { accounts, servers, store, authorizations, clock } = this.parts;
    const found = this.parts.find(account);
    if (found.kind === 'not_found') return found;
    if (found.kind === 'unresolved')
      return { kind: 'not_applicable', message: `unresolved placeholders: ${found.missing.join(', ')}` };
    const { server } = found;
    const misfit = misfitOf(server, account);
    if (misfit !== undefined) return { kind: 'not_applicable', message: misfit };
    const kept = await store.read(account, server.binding);
    if ('kind' in kept) return away;
    const begun = await servers.begin(server, {
      ...{
        hints: accounts.hintsOf(account, server.binding),
        redirectUri: redirect_uri,
        earlier: kept.credentials,
      },
    });
    if (begun.kind !== 'begun') return begun;
    const { authorizationUrl, state, pending } = begun;
    const expiresAt = clock.now() + lifeMs;
    const saved = await authorizations.keep({ account, state, pending, expiresAt, binding: server.binding });
    if (saved.kind === 'unavailable') return away;
    return { kind: 'begun', authorization_url: authorizationUrl, expires_at: expiresAt };
  }

  async finish({ state, ...rest }: AskOf<typeof finishConnection>): Promise<Finished> {
    const taken = await this.parts.authorizations.take(state);
    if (taken.kind === 'unavailable') return away;
    if (taken.kind !== 'taken') return { kind: taken.kind };
    const { account, pending } = taken;
    const server = this.expanded(account);
    if (server?.binding !== taken.binding)
      return { kind: 'refused', message: 'the server was changed or removed meanwhile' };
    const granted = await this.parts.servers.finish(server, pending, { state, ...rest });
    if (granted.kind !== 'granted') return granted;
    return (await this.save(account, server, granted.credentials))
      ? { kind: 'connected', server: account.server }
      : away;
  }

  async forget(account: AskOf<typeof forgetConnection>): Promise<AnswerOf<typeof forgetConnection>> {
    const server = this.expanded(account);
    if (server?.config.auth === undefined) return { kind: 'not_found' };
    const kept = await this.parts.store.read(account, server.binding);
    if ('kind' in kept) return away;
    const { credentials } = kept;
    if (credentials === undefined) return { kind: 'forgotten', revoked: false };
    if (!(await this.save(account, server, undefined))) return away;
    return { kind: 'forgotten', revoked: await this.parts.servers.revoke(server, credentials) };
  }

  private expanded(account: AccountId): ExpandedServer | undefined {
    const found = this.parts.find(account);
    return found.kind === 'expanded' ? found.server : undefined;
  }

  /** What a human decided stands over what is renewed at the same time. */
  private async save(
    account: AccountId,
    { binding }: ExpandedServer,
    credentials: Kept['credentials'],
  ): Promise<boolean> {
    for (let n = 0; n < mostTries; n++) {
      const kept = await this.parts.store.read(account, binding);
      if ('kind' in kept) return false;
      const written = await this.parts.store.write(account, {
        ...{ binding, ifRevision: kept.revision },
        ...(credentials === undefined ? {} : { credentials }),
      });
      if (written.kind === 'written') this.parts.accounts.changed(account, false);
      if (written.kind !== 'conflict') return written.kind === 'written';
    }
    return false;
  }
}

function misfitOf({ config }: ExpandedServer, { principal }: AccountId): string | undefined {
  const { auth, placement } = config;
  if (auth === undefined) return 'the server has no auth';
  if (auth.flow !== 'authorization_code') return `flow ${auth.flow} needs nobody to agree`;
  if (principal !== undefined && placement !== 'per_principal')
    return 'the server has one account for everybody, as its placement is not per_principal';
  return undefined;
}
