import { unnamedTenant, type ResolvedConfig, type ResolvedTenant } from '@uar/config';
import type { AgentFacts, Directory, TenantFacts } from '../domain/question/directory.js';

/** Tenants as the configuration describes them. It registers no agents and suspends nobody. */
export class ConfigDirectory implements Directory {
  readonly revision = 0;
  readonly #tenants: ReadonlyMap<string, TenantFacts>;
  readonly #others: TenantFacts;

  constructor({
    profile,
    tenants,
    native_tools,
  }: Pick<ResolvedConfig, 'profile' | 'tenants' | 'native_tools'>) {
    const families = enabledFamilies(native_tools);
    this.#tenants = new Map(
      Object.entries(tenants).map(([tenant, settings]) => [tenant, factsOf(settings, families)]),
    );
    this.#others = factsOf(unnamedTenant(profile), families);
  }

  tenant(tenant: string): TenantFacts {
    return this.#tenants.get(tenant) ?? this.#others;
  }

  agent(): AgentFacts | undefined {
    return undefined;
  }

  isUserSuspended(): boolean {
    return false;
  }
}

function factsOf(settings: ResolvedTenant, enabledFamilies: readonly string[]): TenantFacts {
  return {
    killSwitch: settings.kill_switch,
    enabledFamilies,
    maxUnattendedRisk: settings.max_unattended_risk,
    approvalNeedsMfa: settings.approval_needs_mfa,
    approvalNeedsInteractive: settings.approval_needs_interactive,
  };
}

function enabledFamilies(native: ResolvedConfig['native_tools']): readonly string[] {
  const switches: Readonly<Record<string, boolean>> = {
    'native.file': native.file_tools_enabled,
    'native.web_fetch': native.web_fetch_enabled,
    'native.terminal_exec': native.terminal_exec_enabled,
    'native.memory': native.memory_enabled,
    'native.session_search': native.session_search_enabled,
  };
  return ['mcp', ...Object.keys(switches).filter((family) => switches[family] === true)];
}
