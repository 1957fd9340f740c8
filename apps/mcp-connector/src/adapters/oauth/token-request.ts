import { createPrivateKey, type KeyObject } from 'node:crypto';
import { createPrivateKeyJwtAuth } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { OAuthTokensSchema } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { z } from 'zod';
import type { ClientIdentity } from './client-identity.js';
import { OAuthProblem, type Source, type Tokens } from './oauth-types.js';

export interface TokenRequest {
  readonly source: Source;
  readonly client: ClientIdentity;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly fetch: FetchLike;
  readonly now: () => number;
}

/** Errors after which somebody has to agree anew; the others say that the client or the request is wrong. */
const spent = new Set(['invalid_grant', 'login_required', 'consent_required', 'interaction_required']);
const errorCode = /^[a-z0-9_]{1,64}$/;
const ErrorBody = z.object({ error: z.string().regex(errorCode) });

/** One request to the token endpoint (RFC 6749 3.2). Rejects with `OAuthProblem`, or whatever the network says. */
export async function requestTokens(
  request: TokenRequest,
): Promise<Pick<Tokens, 'access_token' | 'expires_at' | 'refresh_token' | 'scope'>> {
  const { source, now } = request;
  const response = await post(source.token_endpoint, request);
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw problemOf(response.status, body);
  const parsed = OAuthTokensSchema.safeParse(body);
  if (!parsed.success) throw new OAuthProblem('refused', 'the authorization server answered no tokens');
  const { access_token, token_type, expires_in, refresh_token, scope } = parsed.data;
  if (token_type.toLowerCase() !== 'bearer' || !/^[\x21-\x7e]+$/.test(access_token))
    throw new OAuthProblem('refused', 'the authorization server gave a token that is no bearer token');
  return {
    access_token,
    ...(expires_in === undefined ? {} : { expires_at: now() + expires_in * 1_000 }),
    ...(refresh_token === undefined ? {} : { refresh_token }),
    ...(scope === undefined ? {} : { scope }),
  };
}

/** RFC 7009; true where it was done. */
export async function revoke(request: TokenRequest): Promise<boolean> {
  const { revocation_endpoint: endpoint } = request.source;
  return endpoint !== undefined && (await post(endpoint, request)).ok;
}

async function post(endpoint: string, { source, client, params, fetch }: TokenRequest): Promise<Response> {
  const headers = new Headers({
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  });
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value !== undefined) body.set(name, value);
  await authenticate(client, source, { headers, body });
  return await fetch(endpoint, { method: 'POST', headers, body });
}

async function authenticate(
  client: ClientIdentity,
  { issuer, token_endpoint }: Source,
  { headers, body }: { readonly headers: Headers; readonly body: URLSearchParams },
): Promise<void> {
  const { client_id, client_secret = '', private_key = '' } = client;
  switch (client.method) {
    case 'none':
      return body.set('client_id', client_id);
    case 'client_secret_post':
      body.set('client_id', client_id);
      return body.set('client_secret', client_secret);
    case 'client_secret_basic': {
      // RFC 6749 2.3.1: each half in the form encoding first.
      const pair = `${formEncoded(client_id)}:${formEncoded(client_secret)}`;
      return headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
    }
    case 'private_key_jwt': {
      const key = readKey(private_key);
      await createPrivateKeyJwtAuth({
        ...{ issuer: client_id, subject: client_id, audience: issuer, alg: algorithmOf(key) },
        privateKey: { ...key.export({ format: 'jwk' }) },
      })(headers, body, token_endpoint);
    }
  }
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function readKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new OAuthProblem('refused', 'auth.private_key is no private key in PEM');
  }
}

function algorithmOf(key: KeyObject): string {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  if (key.asymmetricKeyType === 'ed25519') return 'EdDSA';
  const algorithm = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }[curve ?? ''];
  if (algorithm === undefined)
    throw new OAuthProblem(
      'refused',
      'auth.private_key has to be RSA, Ed25519, or EC on P-256, P-384 or P-521',
    );
  return algorithm;
}

function problemOf(status: number, body: unknown): OAuthProblem {
  const parsed = ErrorBody.safeParse(body);
  if (status >= 500)
    return new OAuthProblem('unreachable', `the authorization server answered HTTP ${status}`);
  const code = parsed.success ? parsed.data.error : `HTTP ${status}`;
  return new OAuthProblem(
    spent.has(code) ? 'authorization_needed' : 'refused',
    `the authorization server refused: ${code}`,
  );
}
