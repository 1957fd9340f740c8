import type { GovernanceState } from '../../domain/governance-state.js';
import type { PolicySets } from '../../domain/sets/policy-sets.js';
import type { SetStatus } from '../../domain/sets/set-status.js';
import type { LiveDirectory, TenantProblem } from '../../domain/question/directory.js';
import type { CatalogWatch } from '../catalog/catalog-watch.js';
import type { CedarEngine } from '../cedar/engine.js';
import type { PolicyWatch } from './policy-watch.js';
import type { LedgerPolicies } from '../ledger/policy-written.js';
import { reloadRequests } from './reload-requests.js';

export interface LivePoliciesParts {
  readonly engine: CedarEngine;
  readonly watch: PolicyWatch;
  readonly directory: LiveDirectory;
  readonly written: LedgerPolicies;
  readonly sets: Pick<PolicySets, 'status' | 'reload' | 'strays'>;
  readonly catalog: CatalogWatch;
}

/** Cedar at work: the engine, the sets it holds, and the watch over their files and over what the API wrote. */
export class LivePolicies implements GovernanceState {
  readonly governance = 'on';
  readonly #onReload = () => void this.parts.watch.check({ again: true });

  constructor(private readonly parts: LivePoliciesParts) {}

  async start(): Promise<void> {
    await this.parts.written.start(() => void this.parts.sets.reload());
    await this.parts.watch.start();
    this.parts.catalog.start();
    reloadRequests.on('asked', this.#onReload);
  }

  sets(): readonly SetStatus[] {
    return this.parts.sets.status();
  }

  common(): readonly string[] {
    const engine = this.parts.engine.isServing ? [] : ['no instance of the policy engine'];
    return [...engine, ...this.parts.directory.problems()];
  }

  ofTenants(): readonly TenantProblem[] {
    return this.parts.directory.unreadable();
  }

  problems(): readonly string[] {
    return [...(this.#isAnyLoaded() ? [] : this.#missing()), ...this.common()];
  }

  noted(): readonly string[] {
    const kept = this.sets().filter(({ loaded, problem }) => loaded && problem !== undefined);
    return [
      ...(this.#isAnyLoaded() ? this.#missing() : []),
      ...kept.map(({ tenant, problem }) => `newer policies of ${tenant} were refused: ${problem ?? ''}`),
      ...this.ofTenants().map(({ problem }) => problem),
      ...this.parts.sets.strays(),
    ];
  }

  #isAnyLoaded(): boolean {
    return this.sets().some(({ loaded }) => loaded);
  }

  #missing(): readonly string[] {
    const missing = this.sets().filter(({ loaded }) => !loaded);
    return missing.map(({ tenant, problem }) => `no policies of ${tenant}: ${problem ?? 'not loaded'}`);
  }

  async stop(): Promise<void> {
    reloadRequests.off('asked', this.#onReload);
    this.parts.written.stop();
    this.parts.catalog.stop();
    await this.parts.watch.stop();
  }

  /** Called by the framework once the last ask is answered. */
  async onModuleDestroy(): Promise<void> {
    await this.stop();
    await this.parts.engine.stop();
  }
}
