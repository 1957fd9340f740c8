import { OAuthError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { AuthorizationAnswer, Hints, Refusal } from '../../domain/account/ports.js';
import type { AddressRules } from '../http/address-rules.js';
import { Broken, NotSent } from '../not-sent.js';
import { authorizationRequest, codeOf, type Begun } from './authorization.js';
import { boundedFetch, type FetchRules } from './bounded-fetch.js';
import { clientIdentity, register, type ClientIdentity } from './client-identity.js';
import { discover, type Discovered } from './discovery.js';
import {
  OAuthProblem,
  type OAuthServer,
  type Pending,
  type Registration,
  type Source,
  type Tokens,
} from './oauth-types.js';
import { scopeFor } from './scopes.js';
import { requestTokens, revoke, type TokenRequest } from './token-request.js';

export interface OAuthWorld {
  readonly addresses: AddressRules;
  /** Epoch ms. */
  readonly now: () => number;
}

export interface Wanted {
  readonly hints: Hints;
  /** Tokens that are no longer good, or not good for enough. */
  readonly earlier?: Tokens | undefined;
  /** Who may see the secrets of the client; absent: whoever is configured or found. */
  readonly pinned?: string | undefined;
}

export interface Beginning extends Wanted {
  /** Where the browser comes back to: ours, from configuration. */
  readonly redirectUri: string;
}

type Params = Readonly<Record<string, string | undefined>>;
type Got<T> = ({ readonly kind: 'ok' } & T) | Refusal;
export type GotTokens = Got<{ readonly tokens: Tokens }>;

const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

/** Where tokens come from, and by which registered client. */
interface Origin {
  readonly source: Source;
  readonly registration?: Registration | undefined;
}

/** The OAuth 2.1 client that MCP 2025-11-25 asks for, of whatever grant. Keeps nothing, and never rejects. */
export class OAuth {
  constructor(private readonly world: OAuthWorld) {}

  /** Who would be asked for tokens. No secret leaves. */
  async issuer(server: OAuthServer, hints: Hints): Promise<Got<{ readonly issuer: string }>> {
    return await answered(async () => {
      const { source } = await discover(server, { hints, fetch: this.reach(server).fetch });
      return { issuer: source.issuer };
    });
  }

  /** The way to a code. An earlier registration is used again. */
  async begin(server: OAuthServer, { hints, redirectUri, earlier, pinned }: Beginning): Promise<Got<Begun>> {
    return await answered(async () => {
      const { rules, fetch } = this.reach(server);
      const discovered = await discover(server, { hints, fetch, pinned });
      const scope = scopeFor(server, discovered, { hints, earlier });
      const kept = this.usable(earlier?.registration, redirectUri);
      const registered = clientIdentity(server.auth, discovered.source, kept);
      const method = server.auth.token_endpoint_auth_method;
      const registration =
        registered === undefined ? await register(discovered, { redirectUri, scope, method, fetch }) : kept;
      const client = registered ?? clientIdentity(server.auth, discovered.source, registration);
      if (client === undefined) throw new OAuthProblem('refused', 'there is no client to be');
      return await authorizationRequest({
        ...{ discovered, client, registration, redirectUri, scope, rules },
        audience: server.auth.audience,
      });
    });
  }

  /** Tokens for the code that the browser brought back. */
  async finish(server: OAuthServer, pending: Pending, answer: AuthorizationAnswer): Promise<GotTokens> {
    return await answered(async () => {
      const code = codeOf(pending, answer);
      const { source, scope, registration } = pending;
      const got = await this.request(server, pending, {
        grant_type: 'authorization_code',
        ...{ code, code_verifier: pending.code_verifier, redirect_uri: pending.redirect_uri },
        ...{ resource: source.resource },
      });
      return { tokens: tokensOf({ source, scope, registration }, got) };
    });
  }

  /** New tokens for the refresh token; where the answer brings no other, it stays. */
  async refresh(server: OAuthServer, stored: Tokens): Promise<GotTokens> {
    return await answered(async () => {
      const { source, scope, registration, refresh_token } = stored;
      if (refresh_token === undefined)
        throw new OAuthProblem('authorization_needed', 'there is no refresh token');
      const params = { grant_type: 'refresh_token', refresh_token, resource: source.resource };
      const got = await this.request(server, stored, params);
      return { tokens: tokensOf({ source, scope, registration }, { refresh_token, ...got }) };
    });
  }

  /** Tokens for the client itself (RFC 6749 4.4). */
  async clientCredentials(server: OAuthServer, wanted: Wanted): Promise<GotTokens> {
    return await answered(async () => {
      const { source, scope } = await this.machineSource(server, wanted);
      const params = { grant_type: 'client_credentials', scope, resource: source.resource };
      const got = await this.request(server, { source }, { ...params, audience: server.auth.audience });
      return { tokens: tokensOf({ source, scope }, got) };
    });
  }

  /** Tokens for whoever `subjectToken` stands for (RFC 8693). */
  async exchange(server: OAuthServer, subjectToken: string, hints: Hints): Promise<GotTokens> {
    return await answered(async () => {
      const { source, scope } = await this.machineSource(server, { hints });
      const params = {
        ...{ subject_token: subjectToken, subject_token_type: accessTokenType },
        ...{ requested_token_type: accessTokenType, scope, resource: source.resource },
      };
      const grant = { grant_type: tokenExchange, ...params, audience: server.auth.audience };
      return { tokens: tokensOf({ source, scope }, await this.request(server, { source }, grant)) };
    });
  }

  /** Gives the tokens back (RFC 7009). `revoked` false: that is not offered, or was refused. */
  async revoke(server: OAuthServer, stored: Tokens): Promise<Got<{ readonly revoked: boolean }>> {
    return await answered(async () => {
      const { refresh_token, access_token } = stored;
      const hint = refresh_token === undefined ? 'access_token' : 'refresh_token';
      const revoked = await revoke({
        ...this.requestParts(server, stored),
        params: { token: refresh_token ?? access_token, token_type_hint: hint },
      });
      return { revoked };
    });
  }

  private async machineSource(
    server: OAuthServer,
    { hints, earlier, pinned }: Wanted,
  ): Promise<{ readonly source: Source; readonly scope: string | undefined }> {
    const { token_endpoint } = server.auth;
    const discovered: Discovered =
      token_endpoint === undefined
        ? await discover(server, { hints, fetch: this.reach(server).fetch, pinned })
        : { source: configuredSource(server, token_endpoint), scopes: undefined, metadata: undefined };
    return { source: discovered.source, scope: scopeFor(server, discovered, { hints, earlier }) };
  }

  private async request(server: OAuthServer, of: Origin, params: Params): ReturnType<typeof requestTokens> {
    return await requestTokens({ ...this.requestParts(server, of), params });
  }

  private requestParts(server: OAuthServer, { source, registration }: Origin): Omit<TokenRequest, 'params'> {
    const client: ClientIdentity | undefined = clientIdentity(server.auth, source, registration);
    if (client === undefined) throw new OAuthProblem('authorization_needed', 'the client is not registered');
    return { source, client, fetch: this.reach(server).fetch, now: this.world.now };
  }

  private usable(registration: Registration | undefined, redirectUri: string): Registration | undefined {
    const until = registration?.secret_expires_at ?? Infinity;
    return registration?.redirect_uri === redirectUri && until > this.world.now() ? registration : undefined;
  }

  private reach({ url }: OAuthServer): { readonly rules: FetchRules; readonly fetch: FetchLike } {
    const allowHttp = url.startsWith('http:');
    const rules = { addresses: this.world.addresses, allowHttp };
    return { rules, fetch: boundedFetch(rules) };
  }
}

function configuredSource({ url, auth }: OAuthServer, token_endpoint: string): Source {
  const issuer = auth.issuer ?? new URL(token_endpoint).origin;
  const { origin, pathname } = new URL(url);
  return { issuer, token_endpoint, takes_metadata_url: false, resource: origin + pathname };
}

function tokensOf(
  { source, scope, registration }: Origin & { readonly scope: string | undefined },
  got: Awaited<ReturnType<typeof requestTokens>>,
): Tokens {
  return {
    ...(scope === undefined ? {} : { scope }),
    ...got,
    source,
    ...(registration === undefined ? {} : { registration }),
  };
}

async function answered<T>(work: () => Promise<T>): Promise<Got<T>> {
  try {
    return { kind: 'ok', ...(await work()) };
  } catch (error) {
    return refusalOf(error);
  }
}

/** Messages of others stay here: they may quote what was sent. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof OAuthProblem) return { kind: error.kind, message: error.message };
  if (error instanceof NotSent || error instanceof Broken)
    return { kind: 'unreachable', message: `the authorization server: ${error.message}` };
  if (error instanceof OAuthError)
    return { kind: 'refused', message: `the authorization server refused: ${error.errorCode}` };
  return { kind: 'refused', message: 'what the authorization server publishes is not understood' };
}
