import { join, resolve } from 'node:path';
import { TenantId, type FileToolSettings, type TenantSettings } from '@uar/contracts';
import { fromProductRoot } from '../sources/paths.js';
import { UarConfig } from '../schema.js';

/** A configuration in which nothing is left to a default that depends on something else. */
export type ResolvedConfig = Omit<UarConfig, 'tenants'> & {
  readonly mcp: {
    readonly config_files: readonly string[];
    readonly api_commands: readonly string[];
    readonly allowed_private_networks: readonly string[];
  };
  /** `secret`: the HMAC key, in processes whose environment has it. */
  readonly approvals: { readonly webhook?: { readonly secret?: string } | undefined };
  readonly keys: { readonly [name in keyof UarConfig['keys']]-?: string };
  readonly tenants: Readonly<Record<TenantId, ResolvedTenant>>;
};

type Tenant = UarConfig['tenants'][TenantId];
export type ResolvedTenant = Tenant & { readonly approval_needs_interactive: boolean };

const defaultTenant = TenantId.parse('default');

/** Fills what follows from profile, ports and data folder. `given` tells whether somebody set a key. */
export function resolveConfig(options: {
  config: UarConfig;
  cwd: string;
  given: (path: string) => boolean;
}): ResolvedConfig {
  const { config, cwd } = options;
  const full = config.profile === 'server-full';
  const dataDir = resolve(cwd, config.data_dir);
  const inKeys = (file: string | undefined, name: string) => file ?? join(dataDir, 'keys', name);
  const security = full
    ? config.security
    : { ...config.security, default_tenant: config.security.default_tenant ?? defaultTenant };
  return {
    ...config,
    data_dir: dataDir,
    server: resolveServer(config.server, options.given),
    security,
    tenants: resolveTenants(config),
    governance: {
      ...config.governance,
      policies_dir: fromProductRoot(config.governance.policies_dir),
    },
    mcp: {
      ...config.mcp,
      config_files: config.mcp.config_files ?? [],
      api_commands: config.mcp.api_commands ?? (full ? [] : ['*']),
      allowed_private_networks:
        config.mcp.allowed_private_networks ?? (full ? [] : ['127.0.0.0/8', '::1/128']),
    },
    keys: {
      data_key_file: inKeys(config.keys.data_key_file, 'data.key'),
      grant_private_file: inKeys(config.keys.grant_private_file, 'grant.key'),
      grant_public_file: inKeys(config.keys.grant_public_file, 'grant.pub'),
      receipt_private_file: inKeys(config.keys.receipt_private_file, 'receipts.key'),
      state_key_file: inKeys(config.keys.state_key_file, 'state.key'),
    },
  };
}

type Server = UarConfig['server'];

/** Port 0 frees the management port too; the public URL then follows the port that is taken. */
function resolveServer(server: Server, given: (path: string) => boolean): Server {
  const freeManagement = server.port === 0 && !given('server.management_port');
  const resolved = freeManagement ? { ...server, management_port: 0 } : server;
  if (server.public_url !== undefined || server.port === 0) return resolved;
  return { ...resolved, public_url: urlOf(server, server.port) };
}

/** URL under which clients on this machine reach a listener. */
export function urlOf(server: Pick<Server, 'host' | 'tls'>, port: number): string {
  const anywhere = server.host === '0.0.0.0' || server.host === '::' || server.host === '';
  const host = anywhere ? '127.0.0.1' : server.host;
  const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return `${server.tls === undefined ? 'http' : 'https'}://${bracketed}:${port}`;
}

function resolveTenants({ tenants, profile }: UarConfig): ResolvedConfig['tenants'] {
  const resolved = Object.fromEntries(
    Object.entries(tenants).map(([name, tenant]) => [name, resolveTenant(tenant, profile)]),
  );
  return { ...resolved, [defaultTenant]: resolved[defaultTenant] ?? unnamedTenant(profile) };
}

/** What holds for a tenant that the configuration does not name. */
export function unnamedTenant(profile: UarConfig['profile']): ResolvedTenant {
  return resolveTenant(UarConfig.shape.tenants.unwrap().valueType.parse({}), profile);
}

/** What the configuration says of a tenant's settings; it suspends nobody. */
export function tenantSettings(
  { tenants, profile }: Pick<ResolvedConfig, 'tenants' | 'profile'>,
  tenant: TenantId,
): TenantSettings {
  const named = Object.hasOwn(tenants, tenant) ? tenants[tenant] : undefined;
  const { kill_switch, max_unattended_risk, approval_needs_mfa, approval_needs_interactive } =
    named ?? unnamedTenant(profile);
  return {
    ...{ kill_switch, max_unattended_risk, approval_needs_mfa, approval_needs_interactive },
    suspended: { users: [], agents: [] },
  };
}

/** What the configuration says of those settings of native tools that may change at run time. */
export function fileToolSettings({ native_tools }: Pick<ResolvedConfig, 'native_tools'>): FileToolSettings {
  const { file_tools_enabled, file_allowed_paths, file_max_size_kb, file_write_max_kb } = native_tools;
  return { file_tools_enabled, file_allowed_paths, file_max_size_kb, file_write_max_kb };
}

function resolveTenant(tenant: Tenant, profile: UarConfig['profile']): ResolvedTenant {
  return {
    ...tenant,
    approval_needs_interactive: tenant.approval_needs_interactive ?? profile === 'server-full',
  };
}
