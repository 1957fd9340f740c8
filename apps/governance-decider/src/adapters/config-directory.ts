import { fileToolSettings, tenantSettings, type ResolvedConfig } from '@uar/config';
import { TenantId, type TenantSettings } from '@uar/contracts';
import type { AgentFacts, Directory, TenantFacts } from '../domain/question/directory.js';

export type DirectoryConfig = Pick<ResolvedConfig, 'profile' | 'tenants' | 'native_tools'>;

/** Tenants as the configuration describes them. It registers no agents and suspends nobody. */
export class ConfigDirectory implements Directory {
  readonly revision = 0;

  constructor(private readonly config: DirectoryConfig) {}

  tenant(tenant: string): TenantFacts {
    const families = enabledFamilies(fileToolSettings(this.config).file_tools_enabled);
    return factsOf(tenantSettings(this.config, TenantId.parse(tenant)), families);
  }

  agent(): AgentFacts | undefined {
    return undefined;
  }

  isUserSuspended(): boolean {
    return false;
  }
}

export function factsOf(settings: TenantSettings, families: readonly string[]): TenantFacts {
  return {
    killSwitch: settings.kill_switch,
    enabledFamilies: families,
    maxUnattendedRisk: settings.max_unattended_risk,
    approvalNeedsMfa: settings.approval_needs_mfa,
    approvalNeedsInteractive: settings.approval_needs_interactive,
  };
}

/** `uar.runtime` is what `/mcp/uar` serves. Of the native families only that of the files exists (`reserved` in the rules of the configuration). */
export function enabledFamilies(hasFileTools: boolean): readonly string[] {
  return ['mcp', 'uar.runtime', ...(hasFileTools ? ['native.file'] : [])];
}
