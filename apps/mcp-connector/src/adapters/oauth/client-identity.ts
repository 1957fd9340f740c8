import { registerClient } from '@modelcontextprotocol/sdk/client/auth.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { UpstreamAuth } from '@uar/contracts';
import type { Discovered } from './discovery.js';
import { OAuthProblem, type Registration, type Source } from './oauth-types.js';

type Method = NonNullable<UpstreamAuth['token_endpoint_auth_method']>;

/** The client that we are at one authorization server. */
export interface ClientIdentity {
  readonly client_id: string;
  readonly client_secret?: string | undefined;
  readonly private_key?: string | undefined;
  readonly method: Method;
}

const secretMethods = ['client_secret_basic', 'client_secret_post'] as const;

/**
 * Configured (pre-registered), or by a Client ID Metadata Document where it is understood, or registered by RFC 7591.
 * Undefined: none of them yet.
 */
export function clientIdentity(
  auth: UpstreamAuth,
  source: Source,
  registration: Registration | undefined,
): ClientIdentity | undefined {
  const { client_id, client_secret, private_key, client_metadata_url } = auth;
  const methodFor = (secret: string | undefined): Method =>
    auth.token_endpoint_auth_method ?? methodOf(source.auth_methods, secret, private_key);
  if (client_id !== undefined)
    return { client_id, client_secret, private_key, method: methodFor(client_secret) };
  if (client_metadata_url !== undefined && source.takes_metadata_url)
    return { client_id: client_metadata_url, private_key, method: methodFor(undefined) };
  if (registration?.issuer !== source.issuer) return undefined;
  const { client_secret: secret, token_endpoint_auth_method: given } = registration;
  const method = secretMethods.find((each) => each === given && secret !== undefined);
  return {
    client_id: registration.client_id,
    client_secret: secret,
    method: given === 'none' ? 'none' : (method ?? methodFor(secret)),
  };
}

/** RFC 8414: where nothing is said, `client_secret_basic`. */
function methodOf(
  supported: readonly string[] | undefined,
  secret: string | undefined,
  privateKey: string | undefined,
): Method {
  if (privateKey !== undefined) return 'private_key_jwt';
  if (secret === undefined) return 'none';
  if (supported === undefined) return 'client_secret_basic';
  return secretMethods.find((method) => supported.includes(method)) ?? 'none';
}

export interface RegistrationOptions {
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly method: Method | undefined;
  readonly fetch: FetchLike;
}

/** Registers a client by RFC 7591. Rejects with `OAuthProblem` where that is not offered. */
export async function register(
  { source, metadata }: Discovered,
  { redirectUri, scope, method, fetch }: RegistrationOptions,
): Promise<Registration> {
  if (metadata !== undefined && metadata.registration_endpoint === undefined)
    throw new OAuthProblem(
      'refused',
      'the authorization server registers no clients: auth.client_id is needed',
    );
  const wanted = method ?? methodOf(source.auth_methods, 'a secret that the server will give', undefined);
  const clientMetadata = {
    client_name: 'UAR tool plane',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: wanted,
    application_type: 'web',
  };
  const client = await registerClient(source.issuer, {
    ...(metadata === undefined ? {} : { metadata }),
    clientMetadata,
    ...(scope === undefined ? {} : { scope }),
    fetchFn: fetch,
  });
  const expires = client.client_secret_expires_at ?? 0;
  return {
    issuer: source.issuer,
    redirect_uri: redirectUri,
    client_id: client.client_id,
    ...(client.client_secret === undefined ? {} : { client_secret: client.client_secret }),
    ...(expires === 0 ? {} : { secret_expires_at: expires * 1_000 }),
    ...(client.token_endpoint_auth_method === undefined
      ? {}
      : { token_endpoint_auth_method: client.token_endpoint_auth_method }),
  };
}
