import type { SetStatus } from './sets/set-status.js';
import type { LiveDirectory, TenantProblem } from './question/directory.js';

/** What decides, and whether it can. */
export interface GovernanceState {
  readonly governance: 'on' | 'off';
  sets(): readonly SetStatus[];
  /** What keeps every decision from being made, besides missing sets. */
  common(): readonly string[];
  /** What keeps those of one tenant from being made, besides its set. */
  ofTenants(): readonly TenantProblem[];
  /** What keeps every decision from being made; empty while those of any tenant can. */
  problems(): readonly string[];
  /** What is wrong and leaves decisions possible: newer sets that were not taken, and what concerns single tenants. */
  noted(): readonly string[];
  /** Nothing is loaded any more; what is loaded goes on deciding. */
  stop(): Promise<void>;
}

/** Cedar switched off: nothing is loaded, so nothing can be missing. */
export class NoPolicies implements GovernanceState {
  readonly governance = 'off';

  constructor(
    private readonly tenants: readonly string[],
    private readonly directory: LiveDirectory,
  ) {}

  sets(): readonly SetStatus[] {
    return this.tenants.map((tenant) => ({ tenant, version: 'off', loaded: true, policies: 0 }));
  }

  common(): readonly string[] {
    return this.directory.problems();
  }

  ofTenants(): readonly TenantProblem[] {
    return this.directory.unreadable();
  }

  problems(): readonly string[] {
    return this.common();
  }

  noted(): readonly string[] {
    return this.ofTenants().map(({ problem }) => problem);
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}
