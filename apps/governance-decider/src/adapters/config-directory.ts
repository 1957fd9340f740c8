import type { UarConfig } from '@uar/config';
import type { AgentFacts, Directory, TenantFacts } from '../domain/question/directory.js';

/** Tenants as the configuration describes them. It registers no agents and suspends nobody. */
export class ConfigDirectory implements Directory {
  readonly revision = 0;
  readonly #families: readonly string[];
  readonly #tenants: ReadonlyMap<string, TenantFacts>;
  readonly #others: TenantFacts;

  constructor(private readonly config: Pick<UarConfig, 'profile' | 'tenants' | 'native_tools'>) {
    this.#families = enabledFamilies(config.native_tools);
    this.#tenants = new Map(
      Object.entries(config.tenants).map(([tenant, settings]) => [
        tenant,
        this.#factsOf({
          killSwitch: settings.kill_switch,
          maxUnattendedRisk: settings.max_unattended_risk,
          approvalNeedsMfa: settings.approval_needs_mfa,
          approvalNeedsInteractive: settings.approval_needs_interactive,
        }),
      ]),
    );
    this.#others = this.#factsOf({});
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

  #factsOf(settings: {
    readonly killSwitch?: boolean;
    readonly maxUnattendedRisk?: number;
    readonly approvalNeedsMfa?: boolean;
    readonly approvalNeedsInteractive?: boolean | undefined;
  }): TenantFacts {
    return {
      killSwitch: settings.killSwitch ?? false,
      enabledFamilies: this.#families,
      maxUnattendedRisk: settings.maxUnattendedRisk ?? 1,
      approvalNeedsMfa: settings.approvalNeedsMfa ?? false,
      approvalNeedsInteractive: settings.approvalNeedsInteractive ?? this.config.profile === 'server-full',
    };
  }
}

function enabledFamilies(native: UarConfig['native_tools']): readonly string[] {
  const switches: Readonly<Record<string, boolean>> = {
    'native.file': native.file_tools_enabled,
    'native.web_fetch': native.web_fetch_enabled,
    'native.terminal_exec': native.terminal_exec_enabled,
    'native.memory': native.memory_enabled,
    'native.session_search': native.session_search_enabled,
  };
  return ['mcp', ...Object.keys(switches).filter((family) => switches[family] === true)];
}
