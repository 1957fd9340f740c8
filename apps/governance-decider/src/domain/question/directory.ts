/** What is known of tenants and agents besides what a token says: settings and registrations (the PIP). */
export interface TenantFacts {
  readonly killSwitch: boolean;
  /** `mcp`, `native.file`, ... */
  readonly enabledFamilies: readonly string[];
  readonly maxUnattendedRisk: number;
  readonly approvalNeedsMfa: boolean;
  readonly approvalNeedsInteractive: boolean;
}

export interface AgentFacts {
  /** Subject of the owning user. */
  readonly owner: string;
  readonly class?: string;
  readonly maxRisk: number;
  readonly suspended: boolean;
}

export interface Directory {
  /** Changes whenever any answer of the directory may have changed. */
  readonly revision: number;
  tenant(tenant: string): TenantFacts;
  /** Nothing: nobody registered such an agent. */
  agent(tenant: string, id: string): AgentFacts | undefined;
  isUserSuspended(tenant: string, subject: string): boolean;
}

export interface TenantProblem {
  readonly tenant: string;
  readonly problem: string;
}

/** A directory that follows what is written by API. Before it was read, and about what cannot be read, it throws: nobody decides on a guess. */
export interface LiveDirectory extends Directory {
  /** What keeps every answer from being given; empty when none is. */
  problems(): readonly string[];
  /** What keeps answers about one tenant from being given. */
  unreadable(): readonly TenantProblem[];
  /** What was written of this tenant by API cannot be read, agents aside. */
  hasUnreadableSettings(tenant: string): boolean;
  /** Says of such a tenant what the file does: by that is decided who may write its settings anew, and nothing else. */
  readonly forRepair: Directory;
}
