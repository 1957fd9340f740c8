import type { UarConfig } from '@uar/config';
import { ServerName, TenantId } from '@uar/contracts';
import type { FileServer } from '../domain/servers/desired-servers.js';

/** The servers of the configuration: `mcp.servers` are those of tenant default (API.md 1). */
export function fileServers(config: UarConfig): FileServer[] {
  const byTenant = Object.entries(config.tenants).map(([tenant, { mcp }]) => ({
    tenant,
    servers: mcp.servers,
  }));
  const all = [...byTenant, { tenant: 'default', servers: config.mcp.servers }];
  return all.flatMap(({ tenant, servers }) =>
    Object.entries(servers).map(([name, server]) => ({
      tenant: TenantId.parse(tenant),
      name: ServerName.parse(name),
      config: server,
    })),
  );
}
