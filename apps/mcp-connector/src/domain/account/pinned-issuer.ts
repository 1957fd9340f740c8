import type { ServerConfig } from '@uar/contracts';
import type { ExpandedServer } from '../upstream.js';
import type { AuthorizationServers, CredentialStore, Hints, Kept, Refusal } from './ports.js';

export interface PinParts {
  readonly store: CredentialStore;
  readonly servers: AuthorizationServers;
}

/** Writes that met somebody else's. */
const mostTries = 5;
const storeAway = {
  kind: 'unreachable',
  message: 'the credentials of the server cannot be read now',
} as const;

/**
 * Who may see the secrets of a server's client: the issuer that was found first, whoever's account it is found for. It is
 * written before anything is sent there. `issuer` undefined: there are no secrets, or the configuration says where they go.
 */
export async function pinnedIssuer(
  server: ExpandedServer,
  hints: Hints,
  { store, servers }: PinParts,
): Promise<{ readonly kind: 'pinned'; readonly issuer: string | undefined } | Refusal> {
  if (!isTrustedAtFirst(server.config)) return { kind: 'pinned', issuer: undefined };
  const { tenant, name, binding } = server;
  const account = { tenant, server: name };
  for (let n = 0; n < mostTries; n++) {
    const kept = await store.read(account, binding);
    if ('kind' in kept) return storeAway;
    const known = issuerOf(kept);
    if (known !== undefined) return { kind: 'pinned', issuer: known };
    const found = await servers.issuer(server, hints);
    if (found.kind !== 'found') return found;
    const { issuer } = found;
    const written = await store.write(account, { binding, ifRevision: kept.revision, issuer });
    if (written.kind === 'written') return { kind: 'pinned', issuer };
    if (written.kind === 'unavailable') return storeAway;
  }
  return storeAway;
}

/** Whose tokens an account has or had. */
export function issuerOf({ credentials, issuer }: Kept): string | undefined {
  return credentials?.source.issuer ?? issuer;
}

/** The client has a secret, and nobody says which authorization server it is for. */
export function isTrustedAtFirst({ auth }: ServerConfig): boolean {
  const hasSecret = auth?.client_secret !== undefined || auth?.private_key !== undefined;
  return hasSecret && auth.issuer === undefined && auth.token_endpoint === undefined;
}
