import { ServerView } from '@uar/contracts';
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
  const { env, headers, url, ...shown } = server.config;
  return ServerView.parse({
    ...shown,
    ...(url === undefined ? {} : { url: maskUrl(url) }),
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
