import { ServerView, type UpstreamAuth } from '@uar/contracts';
import type { DesiredServer } from './desired-servers.js';
import { literalSecrets } from './literal-secrets.js';

/** What the catalog knows of a server besides its configuration. */
export interface ServerStanding {
  readonly connected: boolean;
  readonly sandboxEffective: string;
  readonly warnings: ServerView['warnings'];
  readonly tools: readonly string[];
}

/** What the outside may see: keys of env and headers instead of values, an address without its secrets (API.md 3). */
export function serverView(server: DesiredServer, standing: ServerStanding): ServerView {
  const { env, headers, url, auth, ...shown } = server.config;
  return ServerView.parse({
    ...shown,
    ...(url === undefined ? {} : { url: maskUrl(url) }),
    ...(auth === undefined ? {} : { auth: authView(auth) }),
    name: server.name,
    connected: standing.connected,
    drift: server.drift,
    env_keys: Object.keys(env).toSorted(),
    header_keys: Object.keys(headers).toSorted(),
    sandbox_effective: standing.sandboxEffective,
    warnings: [...literalSecrets(server.config), ...standing.warnings],
    tools: standing.tools.toSorted(),
  });
}

function authView({ client_secret, private_key, ...shown }: UpstreamAuth): ServerView['auth'] {
  const { issuer, token_endpoint, client_metadata_url } = shown;
  return {
    ...shown,
    ...(issuer === undefined ? {} : { issuer: maskUrl(issuer) }),
    ...(token_endpoint === undefined ? {} : { token_endpoint: maskUrl(token_endpoint) }),
    ...(client_metadata_url === undefined ? {} : { client_metadata_url: maskUrl(client_metadata_url) }),
    secret_keys: [
      ...(client_secret === undefined ? [] : (['client_secret'] as const)),
      ...(private_key === undefined ? [] : (['private_key'] as const)),
    ],
  };
}

/** Works on the text, since a placeholder may stand anywhere in it. */
export function maskUrl(url: string): string {
  const start = url.search(/[?#]/);
  const address = start === -1 ? url : url.slice(0, start);
  const rest = start === -1 ? '' : url.slice(start);
  const shown = address.replace(/^([A-Za-z][A-Za-z0-9+.-]*:)?([\\/]*)[^\\/]*@/, '$1$2***@');
  const [query = '', ...fragment] = rest.split('#');
  const parts = query.slice(1).split('&').map(maskPart).join('&');
  return shown + (query.startsWith('?') ? `?${parts}` : '') + (fragment.length > 0 ? '#***' : '');
}

function maskPart(part: string): string {
  const equals = part.indexOf('=');
  if (part === '') return part;
  return equals === -1 ? '***' : `${part.slice(0, equals)}=***`;
}
