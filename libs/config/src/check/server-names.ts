import { ServerName } from '@uar/contracts';
import type { Problem } from './problem.js';
import type { UarConfig } from '../schema.js';

/** Names that belong to the product (DESIGN.md 5). */
export const reservedServers: readonly string[] = ['native', 'uar-runtime', 'uar-memory'];

/** The nearest name that the pattern accepts: lower case, other characters as `-`. Empty when nothing is left. */
export function cleanServerName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '-')
    .replace(/^-+/, '')
    .slice(0, 32)
    .replace(/-+$/, '');
}

/** Names of `mcp.servers` and `tenants.<name>.mcp.servers`: pattern, reserved names, twins within a tenant. */
export function serverNameProblems(config: UarConfig): Problem[] {
  const places: { tenant: string; path: string; name: string }[] = [];
  for (const name of Object.keys(config.mcp.servers))
    places.push({ tenant: 'default', path: 'mcp.servers', name });
  for (const [tenant, entry] of Object.entries(config.tenants))
    for (const name of Object.keys(entry.mcp.servers))
      places.push({ tenant, path: `tenants.${tenant}.mcp.servers`, name });

  const seen = new Map<string, string>();
  return places.flatMap(({ tenant, path, name }) => {
    const full = `${path}.${name}`;
    const key = `${tenant}/${name.toLowerCase()}`;
    const twin = seen.get(key);
    seen.set(key, full);
    const message = twin === undefined ? nameProblem(name) : `the name is taken by ${twin}`;
    return message === undefined ? [] : [{ path: full, message }];
  });
}

export function nameProblem(name: string): string | undefined {
  if (reservedServers.includes(name.toLowerCase())) return 'the name is reserved';
  if (ServerName.safeParse(name).success) return undefined;
  const suggestion = cleanServerName(name);
  const hint = suggestion === '' ? '' : `; for example ${suggestion}`;
  return `a server name is 1-32 of a-z, 0-9 and - and starts with a letter or digit${hint}`;
}
