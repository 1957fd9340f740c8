import { fileToolSettings, tenantSettings } from '@uar/config';
import {
  TenantId,
  TenantSettings,
  nativeToolsKey,
  operatorTenant,
  tenantSettingsKey,
  type AgentBody,
  type StoredNativeTools,
  type StoredTenantSettings,
} from '@uar/contracts';
import type { SettingsReplica } from '@uar/settings';
import type {
  AgentFacts,
  Directory,
  LiveDirectory,
  TenantFacts,
  TenantProblem,
} from '../domain/question/directory.js';
import { enabledFamilies, factsOf, type DirectoryConfig } from './config-directory.js';

export interface SettingsDirectoryParts {
  /** What holds where the API set nothing. */
  readonly config: DirectoryConfig;
  readonly tenants: SettingsReplica<typeof StoredTenantSettings>;
  readonly agents: SettingsReplica<typeof AgentBody>;
  readonly nativeTools: SettingsReplica<typeof StoredNativeTools>;
}

interface KnownTenant {
  readonly facts: TenantFacts;
  readonly users: ReadonlySet<string>;
  readonly agents: ReadonlySet<string>;
}

/** Tenants, agents and families as the configuration describes them, and over it what was written by API. */
export class SettingsDirectory implements LiveDirectory {
  readonly #known = new Map<string, KnownTenant>();
  readonly #listeners = new Set<(tenant: string) => void>();
  readonly #replicas: ReturnType<typeof replicasOf>;
  #revision = 0;

  constructor(private readonly parts: SettingsDirectoryParts) {
    this.#replicas = replicasOf(parts);
    const { tenants, agents, nativeTools } = parts;
    tenants.onChange(({ tenant }) => this.#change([tenant]));
    agents.onChange(({ tenant }) => this.#change([tenant]));
    nativeTools.onChange(() => this.#change([...this.#known.keys()]));
  }

  get revision(): number {
    return this.#revision;
  }

  hasUnreadableSettings(tenant: string): boolean {
    return this.parts.tenants.get(tenant, tenantSettingsKey)?.kind === 'unreadable';
  }

  get forRepair(): Directory {
    const of = (tenant: string) =>
      this.hasUnreadableSettings(tenant) ? this.#learned(tenant, {}) : this.#of(tenant);
    return {
      revision: this.#revision,
      tenant: (tenant) => of(tenant).facts,
      agent: (tenant, id) => this.agent(tenant, id),
      isUserSuspended: (tenant, subject) => of(tenant).users.has(subject),
    };
  }

  /** Resolves after the first attempt to read; without success it goes on trying. */
  async start(): Promise<void> {
    await Promise.all(this.#replicas.map(([, replica]) => replica.start()));
  }

  /** Called by the framework once the last ask is answered. */
  onModuleDestroy(): void {
    for (const [, replica] of this.#replicas) replica.stop();
    this.#listeners.clear();
  }

  /** Told of each tenant about which something changed. */
  onChange(listener: (tenant: string) => void): void {
    this.#listeners.add(listener);
  }

  tenant(tenant: string): TenantFacts {
    return this.#of(tenant).facts;
  }

  agent(tenant: string, id: string): AgentFacts | undefined {
    const known = this.#of(tenant);
    const kept = this.parts.agents.get(tenant, id);
    if (kept === undefined) return undefined;
    if (kept.kind === 'unreadable') throw new Error(`agent ${id} of tenant ${tenant} is unreadable`);
    const { owner, class: agentClass, max_risk: maxRisk } = kept.value;
    const suspended = known.agents.has(id);
    return { owner, maxRisk, suspended, ...(agentClass === undefined ? {} : { class: agentClass }) };
  }

  isUserSuspended(tenant: string, subject: string): boolean {
    return this.#of(tenant).users.has(subject);
  }

  problems(): readonly string[] {
    const unread = this.#replicas.filter(([, replica]) => !replica.ready);
    return unread.map(([what]) => `the ${what} were not read yet`);
  }

  unreadable(): readonly TenantProblem[] {
    return this.#replicas.flatMap(([what, replica]) =>
      [...replica.tenants()].flatMap((tenant) =>
        [...replica.of(tenant)].flatMap(([key, { kind }]) =>
          kind === 'kept'
            ? []
            : [{ tenant, problem: `the stored ${what} of ${tenant} are unreadable (${key})` }],
        ),
      ),
    );
  }

  #of(tenant: string): KnownTenant {
    const unread = this.#replicas.find(([, replica]) => !replica.ready);
    if (unread !== undefined) throw new Error(`the ${unread[0]} were not read yet`);
    const known = this.#known.get(tenant) ?? this.#learn(tenant);
    this.#known.set(tenant, known);
    return known;
  }

  #learn(tenant: string): KnownTenant {
    const kept = this.parts.tenants.get(tenant, tenantSettingsKey);
    if (kept?.kind === 'unreadable')
      throw new Error(`the stored settings of tenant ${tenant} are unreadable`);
    return this.#learned(tenant, kept?.value.set ?? {});
  }

  #learned(tenant: string, set: StoredTenantSettings['set']): KnownTenant {
    const file = tenantSettings(this.parts.config, TenantId.parse(tenant));
    const settings = TenantSettings.parse({ ...file, ...set });
    return {
      facts: factsOf(settings, enabledFamilies(this.#hasFileTools())),
      users: new Set(settings.suspended.users),
      agents: new Set(settings.suspended.agents),
    };
  }

  /** Unreadable is off: whether the family may be used cannot be known. */
  #hasFileTools(): boolean {
    const kept = this.parts.nativeTools.get(operatorTenant, nativeToolsKey);
    if (kept?.kind === 'unreadable') return false;
    return kept?.value.set.file_tools_enabled ?? fileToolSettings(this.parts.config).file_tools_enabled;
  }

  #change(tenants: readonly string[]): void {
    this.#revision += 1;
    for (const tenant of tenants) this.#known.delete(tenant);
    for (const tenant of tenants) for (const listener of this.#listeners) listener(tenant);
  }
}

function replicasOf({ tenants, agents, nativeTools }: SettingsDirectoryParts) {
  return [
    ['tenant settings', tenants],
    ['agents', agents],
    ['settings of native tools', nativeTools],
  ] as const;
}
