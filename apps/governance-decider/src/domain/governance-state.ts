import type { SetStatus } from './policy/policy-sets.js';

/** What decides, and whether it can. */
export interface GovernanceState {
  readonly governance: 'on' | 'off';
  sets(): readonly SetStatus[];
  /** What keeps decisions from being made; empty when they can. */
  problems(): readonly string[];
  /** Nothing is loaded any more; what is loaded goes on deciding. */
  stop(): Promise<void>;
}

/** Cedar switched off: nothing is loaded, so nothing can be missing. */
export class NoPolicies implements GovernanceState {
  readonly governance = 'off';

  constructor(private readonly tenants: readonly string[]) {}

  sets(): readonly SetStatus[] {
    return this.tenants.map((tenant) => ({ tenant, version: 'off', loaded: true, policies: 0 }));
  }

  problems(): readonly string[] {
    return [];
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}
