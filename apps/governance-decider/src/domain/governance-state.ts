import type { SetStatus } from './policy/set-status.js';
import type { LiveDirectory } from './question/directory.js';

/** What decides, and whether it can. */
export interface GovernanceState {
  readonly governance: 'on' | 'off';
  sets(): readonly SetStatus[];
  /** What of the directory is not known. */
  unread(): readonly string[];
  /** What keeps decisions from being made; empty when they can. */
  problems(): readonly string[];
  /** What is wrong and keeps nobody from deciding: newer sets that were not taken. */
  refused(): readonly string[];
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

  unread(): readonly string[] {
    return this.directory.problems();
  }

  problems(): readonly string[] {
    return this.unread();
  }

  refused(): readonly string[] {
    return [];
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}
