import type { ExpandedServer } from '../upstream.js';
import { pinnedIssuer, type PinParts } from './pinned-issuer.js';
import type { AuthorizationServers, Granted, Hints, Wanted } from './ports.js';

/** Asks an authorization server for other tokens than the earlier ones, in the way of the flow. */
export async function askForTokens(
  servers: AuthorizationServers,
  server: ExpandedServer,
  wanted: Wanted,
): Promise<Granted> {
  if (isMachine(server)) return await servers.clientCredentials(server, wanted);
  if (wanted.hints.error === 'insufficient_scope')
    return {
      kind: 'refused',
      message: 'the upstream wants more scopes than were agreed to: connect it again',
    };
  if (wanted.earlier?.refresh_token === undefined)
    return { kind: 'authorization_needed', message: 'nobody has connected the server yet, or not for long' };
  return await servers.refresh(server, wanted.earlier);
}

/** Whom it may ask: a refresh token goes where it came from, whoever the upstream names now. */
export async function pinnedFor(
  server: ExpandedServer,
  hints: Hints,
  parts: PinParts,
): ReturnType<typeof pinnedIssuer> {
  return isMachine(server) ? await pinnedIssuer(server, hints, parts) : { kind: 'pinned', issuer: undefined };
}

function isMachine({ config }: ExpandedServer): boolean {
  return config.auth !== undefined && config.auth.flow !== 'authorization_code';
}
