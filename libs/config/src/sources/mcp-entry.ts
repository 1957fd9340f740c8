import { dirname, isAbsolute, resolve } from 'node:path';
import { ServerConfig } from '@uar/contracts';
import { isTree, type Tree } from './tree.js';

export type McpEntry = { readonly notes: readonly string[] } & (
  | { readonly kind: 'server'; readonly server: ServerConfig }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'bad'; readonly problems: readonly string[] }
);

const understood = ['type', 'transport', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'disabled'];

/** One entry of `mcpServers` as a server of ours, or why it cannot be one. Members we do not know are noted. */
export function readMcpEntry(entry: unknown, file: string): McpEntry {
  if (!isTree(entry)) return { kind: 'bad', notes: [], problems: ['is no object'] };
  const notes = Object.keys(entry)
    .filter((member) => !understood.includes(member))
    .map((member) => `member ${member} is not used`);
  const transport = transportOf(entry);
  if (transport.kind === 'skipped') return { ...transport, notes };
  const input = foreignPlaceholder(entry);
  if (input !== undefined)
    return { kind: 'skipped', notes, reason: `\${${input}:...} cannot be asked for here` };
  const { disabled, command, args, env, cwd, url, headers } = plainPlaceholders(entry);
  const body = {
    transport: transport.transport,
    enabled: disabled === true ? false : undefined,
    ...(transport.transport === 'stdio'
      ? { command, args, env, cwd: absoluteCwd(cwd, file) }
      : { url, headers }),
  };
  const parsed = ServerConfig.safeParse(body);
  if (parsed.success) return { kind: 'server', notes, server: parsed.data };
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  return { kind: 'bad', notes, problems };
}

type Transport =
  | { readonly kind: 'known'; readonly transport: 'stdio' | 'streamable_http' }
  | { readonly kind: 'skipped'; readonly reason: string };

function transportOf(entry: Tree): Transport {
  const named = entry['type'] ?? entry['transport'] ?? (entry['command'] === undefined ? 'http' : 'stdio');
  switch (String(named).toLowerCase().replaceAll('_', '-')) {
    case 'stdio':
    case 'local':
      return { kind: 'known', transport: 'stdio' };
    case 'http':
    case 'streamable-http':
    case 'streamablehttp':
      return { kind: 'known', transport: 'streamable_http' };
    case 'sse':
      return {
        kind: 'skipped',
        reason: "transport sse is not supported; use the server's streamable HTTP endpoint",
      };
    default:
      return { kind: 'skipped', reason: `transport ${JSON.stringify(named)} is not known` };
  }
}

/** `${input:id}`, `${command:...}` and the like, which only an editor can fill. */
function foreignPlaceholder(value: unknown): string | undefined {
  if (typeof value === 'string')
    return [...value.matchAll(/\$\{([A-Za-z]+):(?!-)/g)]
      .map((match) => match[1])
      .find((kind) => kind !== 'env');
  if (typeof value !== 'object' || value === null) return undefined;
  for (const item of Object.values(value)) {
    const found = foreignPlaceholder(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `${env:VAR}` means `${VAR}`. */
function plainPlaceholders(entry: Tree): Tree {
  const rewrite = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll(/\$\{env:/g, '${');
    if (Array.isArray(value)) return value.map(rewrite);
    if (!isTree(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rewrite(item)]));
  };
  return Object.fromEntries(Object.entries(entry).map(([key, item]) => [key, rewrite(item)]));
}

function absoluteCwd(cwd: unknown, file: string): unknown {
  if (typeof cwd !== 'string' || cwd === '' || cwd.startsWith('${') || isAbsolute(cwd)) return cwd;
  return resolve(dirname(file), cwd);
}
