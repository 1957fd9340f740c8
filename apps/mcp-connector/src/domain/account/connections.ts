import type {
  AccountId,
  AnswerOf,
  AskOf,
  ReceiptBody,
  ServerConfig,
  beginConnection,
  finishConnection,
  forgetConnection,
} from '@uar/contracts';
import type { Clock } from '../clock.js';
import type { ExpandedServer } from '../upstream.js';
import type { Accounts } from './accounts.js';
import { bindingOf, type Credentials } from './credentials.js';
import type { AuthorizationServers, AuthorizationStore, CredentialStore, NextCredentials } from './ports.js';
import { issuerOf, pinnedIssuer } from './pinned-issuer.js';
import { unresolvedText } from '../expand/placeholders.js';

export interface ConnectionParts {
  readonly accounts: Accounts;
  readonly servers: AuthorizationServers;
  readonly store: CredentialStore;
  readonly authorizations: AuthorizationStore;
  readonly clock: Clock;
  /** As it is configured now. */
  readonly find: (account: AccountId) => ServerConfig | undefined;
  /** With the placeholders' values of now. */
  readonly expand: (account: AccountId, config: ServerConfig) => Expanded;
}

type Expanded =
  | { readonly kind: 'expanded'; readonly server: ExpandedServer }
  /** Names of placeholders without a value. */
  | { readonly kind: 'unresolved'; readonly missing: readonly string[] };

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
    receipt,
    ...account
  }: AskOf<typeof beginConnection>): Promise<AnswerOf<typeof beginConnection>> {
    const { accounts, servers, store, authorizations, clock } = this.parts;
    const config = this.parts.find(account);
    if (config === undefined) return { kind: 'not_found' };
    const misfit = misfitOf(config, account);
    if (misfit !== undefined) return { kind: 'not_applicable', message: misfit };
    const expanded = this.parts.expand(account, config);
    if (expanded.kind === 'unresolved')
      return { kind: 'not_applicable', message: unresolvedText(expanded.missing) };
    const { server } = expanded;
    const hints = accounts.hintsOf(account, server.binding);
    const pinned = await pinnedIssuer(server, hints, this.parts);
    if (pinned.kind !== 'pinned') return pinned;
    const kept = await store.read(account, server.binding);
    if ('kind' in kept) return away;
    const begun = await servers.begin(server, {
      ...{ hints, redirectUri: redirect_uri },
      ...{ earlier: kept.credentials, pinned: pinned.issuer },
    });
    if (begun.kind !== 'begun') return begun;
    const { authorizationUrl, state, pending } = begun;
    const expiresAt = clock.now() + lifeMs;
    const { binding } = server;
    const saved = await authorizations.keep({ account, state, pending, expiresAt, binding, receipt });
    if (saved.kind === 'unavailable') return away;
    return { kind: 'begun', authorization_url: authorizationUrl, expires_at: expiresAt };
  }

  async finish({ state, ...rest }: AskOf<typeof finishConnection>): Promise<Finished> {
    const taken = await this.parts.authorizations.take(state);
    if (taken.kind === 'unavailable') return away;
    if (taken.kind !== 'taken') return { kind: taken.kind };
    const { account, pending, binding } = taken;
    const server = this.expanded(account);
    if (server?.binding !== binding)
      return { kind: 'refused', message: 'the server was changed or removed meanwhile' };
    const granted = await this.parts.servers.finish(server, pending, { state, ...rest });
    if (granted.kind !== 'granted') return granted;
    const receipt = { ...taken.receipt, at: new Date(this.parts.clock.now()).toISOString() };
    return (await this.save(account, { binding, receipt, credentials: granted.credentials }))
      ? { kind: 'connected', server: account.server }
      : away;
  }

  /** Also where a placeholder has no value: only giving the tokens back needs those. */
  async forget({
    receipt,
    ...account
  }: AskOf<typeof forgetConnection>): Promise<AnswerOf<typeof forgetConnection>> {
    const config = this.parts.find(account);
    if (config?.auth === undefined) return { kind: 'not_found' };
    const binding = bindingOf(config);
    const kept = await this.parts.store.read(account, binding);
    if ('kind' in kept) return away;
    if (issuerOf(kept) === undefined) return { kind: 'forgotten', revoked: false };
    if (!(await this.save(account, { binding, receipt }))) return away;
    const { credentials } = kept;
    return {
      kind: 'forgotten',
      revoked: credentials !== undefined && (await this.revoked(account, credentials)),
    };
  }

  private async revoked(account: AccountId, credentials: Credentials): Promise<boolean> {
    const server = this.expanded(account);
    return server !== undefined && (await this.parts.servers.revoke(server, credentials));
  }

  private expanded(account: AccountId): ExpandedServer | undefined {
    const config = this.parts.find(account);
    const expanded = config && this.parts.expand(account, config);
    return expanded?.kind === 'expanded' ? expanded.server : undefined;
  }

  /** What a human decided stands over what is renewed at the same time. */
  private async save(
    account: AccountId,
    next: Omit<NextCredentials, 'ifRevision'> & { readonly receipt: ReceiptBody },
  ): Promise<boolean> {
    for (let n = 0; n < mostTries; n++) {
      const kept = await this.parts.store.read(account, next.binding);
      if ('kind' in kept) return false;
      const written = await this.parts.store.write(account, { ...next, ifRevision: kept.revision });
      if (written.kind === 'written') this.parts.accounts.changed(account, { all: false, decided: true });
      if (written.kind !== 'conflict') return written.kind === 'written';
    }
    return false;
  }
}

function misfitOf({ auth, placement }: ServerConfig, { principal }: AccountId): string | undefined {
  if (auth === undefined) return 'the server has no auth';
  if (auth.flow !== 'authorization_code') return `flow ${auth.flow} needs nobody to agree`;
  if (principal !== undefined && placement !== 'per_principal')
    return 'the server has one account for everybody, as its placement is not per_principal';
  return undefined;
}
