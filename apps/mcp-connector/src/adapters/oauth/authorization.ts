import { randomBytes } from 'node:crypto';
import { startAuthorization } from '@modelcontextprotocol/sdk/client/auth.js';
import { z } from 'zod';
import type { AuthorizationAnswer } from '../../domain/account/ports.js';
import { refuseUrl, type FetchRules } from './bounded-fetch.js';
import type { ClientIdentity } from './client-identity.js';
import type { Discovered } from './discovery.js';
import { OAuthProblem, type Pending, type Registration } from './oauth-types.js';

/** RFC 9207 3; the SDK's types do not know of it. */
const NamesIssuer = z.looseObject({ authorization_response_iss_parameter_supported: z.literal(true) });

export interface AuthorizationOptions {
  readonly discovered: Discovered;
  readonly client: ClientIdentity;
  readonly registration: Registration | undefined;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly audience: string | undefined;
  readonly rules: FetchRules;
}

export interface Begun {
  /** Where the browser goes. */
  readonly authorizationUrl: string;
  readonly pending: Pending;
}

/** The request for a code: PKCE with S256, a state of 256 bits, the resource (RFC 8707). */
export async function authorizationRequest(options: AuthorizationOptions): Promise<Begun> {
  const { discovered, client, redirectUri, scope, audience, registration } = options;
  const { source, metadata } = discovered;
  if (metadata !== undefined && metadata.code_challenge_methods_supported?.includes('S256') !== true)
    throw new OAuthProblem('refused', 'the authorization server does not say that it does PKCE with S256');
  const state = randomBytes(32).toString('base64url');
  const { authorizationUrl, codeVerifier } = await startAuthorization(source.issuer, {
    ...(metadata === undefined ? {} : { metadata }),
    clientInformation: { client_id: client.client_id },
    redirectUrl: redirectUri,
    state,
    ...(scope === undefined ? {} : { scope }),
    ...(source.resource === undefined ? {} : { resource: source.resource }),
  });
  refuseUrl(authorizationUrl, options.rules);
  if (audience !== undefined) authorizationUrl.searchParams.set('audience', audience);
  return {
    authorizationUrl: authorizationUrl.href,
    pending: {
      ...{ state, code_verifier: codeVerifier, redirect_uri: redirectUri, source },
      names_issuer: NamesIssuer.safeParse(metadata).success,
      ...(scope === undefined ? {} : { scope }),
      ...(registration === undefined ? {} : { registration }),
    },
  };
}

/** The code, where the response is the one that was waited for. Throws `OAuthProblem`. */
export function codeOf(pending: Pending, answer: AuthorizationAnswer): string {
  const { state, iss, error, code } = answer;
  if (state !== pending.state) throw new OAuthProblem('refused', 'the response belongs to another request');
  // RFC 9207 2.4: compared as text; an issuer that nobody promised is no more to be mistaken for another.
  if (iss === undefined ? pending.names_issuer : iss !== pending.source.issuer)
    throw new OAuthProblem('refused', 'the response does not come from the issuer that was asked');
  if (error !== undefined) throw new OAuthProblem('authorization_needed', errorWords(error));
  if (code === undefined) throw new OAuthProblem('refused', 'the response holds no code');
  return code;
}

function errorWords(error: string): string {
  return /^[a-z0-9_]{1,64}$/.test(error)
    ? `the authorization server answered: ${error}`
    : 'the authorization server answered an error';
}
