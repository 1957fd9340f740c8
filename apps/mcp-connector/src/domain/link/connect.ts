import type { Digest, ServerConfig, TenantId } from '@uar/contracts';
import { bindingOf } from '../account/credentials.js';
import type { Clock } from '../clock.js';
import type { Expansion } from '../expand/placeholders.js';
import { readToolList, type ToolList } from '../tools/tool-list.js';
import type { ExpandedServer, Opened, OpenOptions, OpenUpstream, Upstream } from '../upstream.js';

/** What connecting needs from the world. */
export interface ConnectPorts {
  readonly open: OpenUpstream;
  readonly expand: (config: ServerConfig) => Expansion;
  readonly digestOf: (definition: string) => Digest;
  readonly clock: Clock;
}

export type Connected =
  | {
      readonly kind: 'connected';
      readonly upstream: Upstream;
      readonly list: ToolList;
      readonly latencyMs: number;
      readonly sandbox: string;
    }
  | { readonly kind: 'unresolved'; readonly missing: readonly string[] }
  /** Not a matter of trying again. */
  | { readonly kind: 'unsupported'; readonly message: string }
  | { readonly kind: 'auth_required'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface ConnectTarget {
  readonly tenant: TenantId;
  readonly name: string;
  readonly config: ServerConfig;
}

/** Configurations that would need what this host does not have: refused in words instead of served in another way. */
function unsupported(config: ServerConfig): string | undefined {
  if (config.slots > 1) return 'more than one slot per server is not available';
  return undefined;
}

/** Opens, initializes and lists. After an abort nothing stays open, whatever it answers. */
export async function connect(
  target: ConnectTarget,
  ports: ConnectPorts,
  options: OpenOptions,
): Promise<Connected> {
  const refusal = unsupported(target.config);
  if (refusal !== undefined) return { kind: 'unsupported', message: refusal };
  const start = ports.clock.now();
  const opened = await open(target, ports, options);
  if (opened.kind !== 'open') return opened;
  const { upstream, sandbox } = opened;
  const read = await readToolList({ upstream, ...ports, signal: options.signal });
  if (read.kind === 'list' && !options.signal.aborted)
    return { kind: 'connected', upstream, list: read.list, latencyMs: ports.clock.now() - start, sandbox };
  await upstream.close();
  if (read.kind === 'list') return { kind: 'failed', message: 'the connection was given up' };
  // An upstream may let everybody initialize, and ask for credentials only then.
  const { authRequired } = await upstream.lost;
  return { kind: authRequired ? 'auth_required' : 'failed', message: read.message };
}

/** Opens and initializes with the placeholders' values of now. */
export async function open(
  { tenant, name, config }: ConnectTarget,
  ports: Pick<ConnectPorts, 'expand' | 'open'>,
  options: OpenOptions,
): Promise<Opened | Extract<Connected, { kind: 'unresolved' }>> {
  const expanded = expandedServer({ tenant, name, config }, ports);
  return expanded.kind === 'unresolved' ? expanded : await ports.open(expanded.server, options);
}

/** The server with the placeholders' values of now. */
export function expandedServer(
  { tenant, name, config }: ConnectTarget,
  ports: Pick<ConnectPorts, 'expand'>,
):
  | { readonly kind: 'expanded'; readonly server: ExpandedServer }
  | Extract<Connected, { kind: 'unresolved' }> {
  const expansion = ports.expand(config);
  if (expansion.kind === 'unresolved') return expansion;
  const { config: filled, secrets } = expansion;
  return { kind: 'expanded', server: { tenant, name, config: filled, secrets, binding: bindingOf(config) } };
}
