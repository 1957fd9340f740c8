import { isLoopbackHost, urlOf, type UarConfig } from '@uar/config';
import { tokenScopes } from '../../domain/access/token-scopes.js';
import { ClientIp } from './client-ip.js';

/** Injection token of the Edge. */
export const EDGE = Symbol('uar.gateway.edge');

const wellKnown = '/.well-known/oauth-protected-resource';

/** What the gateway is to the outside, all from configuration: never from what a request says of itself. */
export class Edge {
  readonly clientIp: ClientIp;
  private publicUrl: URL;
  private readonly hosts: ReadonlySet<string>;
  private readonly origins: ReadonlySet<string>;
  private readonly hasMetadata: boolean;
  private readonly authorizationServers: readonly string[];

  constructor(
    config: Pick<UarConfig, 'server' | 'security' | 'memory'>,
    readonly onUnauthorized: (cause: string) => void,
  ) {
    const { server, security } = config;
    this.publicUrl = new URL(server.public_url ?? urlOf(server, server.port));
    this.hosts = new Set([this.publicUrl.hostname, ...server.allowed_hosts].map((it) => it.toLowerCase()));
    this.origins = new Set(server.allowed_origins.map((it) => it.toLowerCase()));
    this.clientIp = new ClientIp(server.trusted_proxies);
    this.hasMetadata = security.jwks_url !== undefined;
    this.authorizationServers = security.authorization_servers;
  }

  /** With port 0 the public URL is known once the listener is open. */
  listensAt(url: string): void {
    if (this.publicUrl.port === '0') this.publicUrl = new URL(url);
  }

  /** `host` is a Host header; ports do not matter, names do (a rebinding page comes with its own name). */
  allowsHost(host: string | undefined): boolean {
    const name = hostName(host);
    if (name === undefined) return false;
    return isLoopbackHost(name) || this.hosts.has(name) || this.hosts.has((host ?? '').toLowerCase());
  }

  /** Pages of our own origin, and the configured ones. */
  allowsOrigin(origin: string, host: string | undefined): boolean {
    return this.isCrossOrigin(origin) || this.isOwnOrigin(origin, host);
  }

  /** Origins that get CORS headers. */
  isCrossOrigin(origin: string): boolean {
    return this.origins.has(origin.toLowerCase());
  }

  /** Of a path of ours, under the public URL: also where that has a path of its own. */
  urlOf(path: string): string {
    return `${this.publicUrl.origin}${this.publicUrl.pathname.replace(/\/+$/, '')}${path}`;
  }

  isMcp(url: string): boolean {
    const path = pathOf(url);
    return path === '/mcp' || path.startsWith('/mcp/');
  }

  /** RFC 8707: what a token for this endpoint may name as audience. */
  audienceOf(url: string): string | undefined {
    return isResource(url) ? this.urlOf(pathOf(url)) : undefined;
  }

  /** RFC 9728; in secret mode there is no authorization server to point at. */
  metadataUrlOf(url: string): string | undefined {
    if (!this.hasMetadata) return undefined;
    const { origin, pathname } = new URL(this.urlOf(isResource(url) ? pathOf(url) : '/'));
    return `${origin}${wellKnown}${pathname === '/' ? '' : pathname.replace(/\/$/, '')}`;
  }

  /** RFC 9728, of the resource that a metadata URL names; undefined for what is no resource of ours. */
  resourceMetadata(metadataUrl: string): object | undefined {
    const path = pathOf(metadataUrl).slice(wellKnown.length);
    if (!this.hasMetadata || !(path === '' || isResource(path))) return undefined;
    return {
      resource: this.urlOf(path),
      authorization_servers: this.authorizationServers,
      bearer_methods_supported: ['header'],
      scopes_supported: tokenScopes,
    };
  }

  /** Our own pages alone. */
  isOwnOrigin(origin: string, host: string | undefined): boolean {
    const own = origin.toLowerCase();
    if (own === this.publicUrl.origin) return true;
    return (
      host !== undefined &&
      (own === `http://${host}`.toLowerCase() || own === `https://${host}`.toLowerCase())
    );
  }
}

/** An endpoint with metadata of its own (DESIGN.md 12); whether an upstream is there says no metadata. */
function isResource(url: string): boolean {
  return /^\/mcp(\/uar|\/servers\/[^/]+)?$/.test(pathOf(url));
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

function hostName(host: string | undefined): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.exec(host ?? '')?.[1]?.toLowerCase();
}
