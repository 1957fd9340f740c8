import {
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  AuthorizationServerMetadata,
  OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import { checkResourceAllowed } from '@modelcontextprotocol/sdk/shared/auth-utils.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Hints } from '../../domain/account/ports.js';
import { OAuthProblem, type OAuthServer, type Source } from './oauth-types.js';

export interface Discovered {
  readonly source: Source;
  /** `scopes_supported` of the resource. */
  readonly scopes: readonly string[] | undefined;
  /** Absent: a server of 2025-03-26 that publishes none, whose endpoints have default places. */
  readonly metadata: AuthorizationServerMetadata | undefined;
}

export interface Search {
  readonly hints: Hints;
  readonly fetch: FetchLike;
  /** Found before: there may be no other. */
  readonly pinned?: string | undefined;
}

/**
 * Who gives tokens for an upstream: RFC 9728, then RFC 8414 or OpenID Connect Discovery; where the upstream describes no
 * resource, its origin (MCP 2025-03-26). Where `auth.issuer` is configured, that one alone. Rejects with `OAuthProblem`,
 * or whatever the network says.
 */
export async function discover(server: OAuthServer, { hints, fetch, pinned }: Search): Promise<Discovered> {
  const resource = await resourceOf(server, hints, fetch);
  const named = namedIssuer(resource?.authorization_servers, server.auth.issuer, pinned);
  const issuer = named ?? new URL('/', server.url).href;
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
  if (metadata === undefined && named !== undefined)
    throw new OAuthProblem('refused', 'the authorization server publishes no metadata');
  if (metadata !== undefined && !isIssuedBy(metadata.issuer, issuer, named))
    throw new OAuthProblem('refused', 'the metadata of the authorization server are of another issuer');
  const source = sourceOf({ issuer, metadata, resource });
  if (pinned !== undefined && !isSameIssuer(source.issuer, pinned))
    throw new OAuthProblem('refused', anotherThanBefore);
  return { source, scopes: resource?.scopes_supported, metadata };
}

const anotherThanBefore =
  'the upstream names another authorization server than before: set auth.issuer, or disconnect the server and connect it again';

/** Of several (RFC 9728 2) the one that is wanted, else the first. Undefined: nobody names one. */
function namedIssuer(
  listed: readonly string[] = [],
  configured: string | undefined,
  pinned: string | undefined,
): string | undefined {
  const wanted = configured ?? pinned;
  const found = listed.find((issuer) => wanted !== undefined && isSameIssuer(issuer, wanted));
  if (configured === undefined) return found ?? listed[0];
  if (!URL.canParse(configured)) throw new OAuthProblem('refused', 'auth.issuer is no URL');
  if (found === undefined && listed.length > 0)
    throw new OAuthProblem('refused', 'the upstream names other authorization servers than auth.issuer');
  return configured;
}

async function resourceOf(
  { url }: OAuthServer,
  { resourceMetadata }: Hints,
  fetch: FetchLike,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  const described = resourceMetadata !== undefined && URL.canParse(resourceMetadata);
  try {
    const options = described ? { resourceMetadataUrl: new URL(resourceMetadata) } : {};
    const resource = await discoverOAuthProtectedResourceMetadata(url, options, fetch);
    if (!isOf(resource.resource, url))
      throw new OAuthProblem('refused', 'the upstream describes itself as another resource');
    return resource;
  } catch (error) {
    if (described || error instanceof OAuthProblem) throw error;
    return undefined;
  }
}

/** RFC 9728 3.3, taken as MCP takes it: the resource is the upstream or stands above it. */
function isOf(resource: string, url: string): boolean {
  return (
    URL.canParse(resource) && checkResourceAllowed({ requestedResource: url, configuredResource: resource })
  );
}

function isIssuedBy(stated: string, issuer: string, named: string | undefined): boolean {
  if (isSameIssuer(stated, issuer)) return true;
  // MCP 2025-03-26: at the origin of the upstream itself its issuer may have a path, which nothing names.
  return named === undefined && URL.canParse(stated) && new URL(stated).origin === new URL(issuer).origin;
}

/** RFC 8414 3.3 wants the same text; URLs that differ in their last slash alone are told apart by nobody. */
function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

function sourceOf(options: {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata | undefined;
  readonly resource: OAuthProtectedResourceMetadata | undefined;
}): Source {
  const { issuer, metadata, resource } = options;
  const methods = metadata?.token_endpoint_auth_methods_supported;
  const revocation =
    metadata !== undefined && 'revocation_endpoint' in metadata && metadata.revocation_endpoint;
  return {
    issuer: metadata?.issuer ?? issuer,
    token_endpoint: metadata?.token_endpoint ?? new URL('/token', issuer).href,
    ...(methods === undefined ? {} : { auth_methods: methods }),
    ...(typeof revocation === 'string' ? { revocation_endpoint: revocation } : {}),
    takes_metadata_url: metadata?.client_id_metadata_document_supported === true,
    ...(resource === undefined ? {} : { resource: resource.resource }),
  };
}
