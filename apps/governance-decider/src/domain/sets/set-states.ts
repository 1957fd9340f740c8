import type { Installable, Stage, Tried } from '../policy/laboratory.js';
import { noVersion } from '../policy/policy-set.js';
import type { Directory } from '../question/directory.js';
import { installable, type Rehearsed, type SetProblem } from './rehearsals.js';
import { problemsOf, summary, type ActiveSet } from './standing.js';
import { anyTenant, type WantedSet } from './wanted.js';

export interface StatesParts {
  readonly stage: Pick<Stage, 'publish'>;
  readonly directory: Directory;
  /** Tenants that have no policies of their own but are shown in the status. */
  readonly knownTenants: readonly string[];
  /** `active` is absent where the tenant has nothing of its own any more, and no set at all. */
  readonly onSwap: (tenant: string, version: string, active?: ActiveSet) => void;
  readonly onProblem: (tenant: string, problem: string) => void;
}

interface TenantState {
  /** What was tried last. */
  tried?: WantedSet;
  active?: ActiveSet;
  problems: readonly SetProblem[];
}

export interface Activation {
  readonly changed: readonly WantedSet[];
  /** Tenants that nobody names any more. */
  readonly gone: readonly string[];
  readonly tried: Tried<ReadonlyMap<string, Rehearsed>>;
  /** Published as well, in force for nobody. */
  readonly beside: readonly ActiveSet[];
}

/** What is in force of each tenant, and what keeps a newer set out. */
export class SetStates {
  readonly #states = new Map<string, TenantState>();

  constructor(private readonly parts: StatesParts) {}

  /** Of a tenant without anything of its own: that of everybody else. */
  of(tenant: string): Readonly<TenantState> | undefined {
    return this.#states.get(tenant) ?? this.#states.get(anyTenant);
  }

  versionOf(tenant: string): string {
    return this.of(tenant)?.active?.set.version ?? noVersion;
  }

  /** Those with something of their own, and those that are shown anyway. */
  tenants(): readonly string[] {
    const own = [...this.#states.keys()].filter((tenant) => tenant !== anyTenant);
    return [...new Set([...own, ...this.parts.knownTenants])].toSorted();
  }

  /** Something of its own is in force. */
  isActive(tenant: string): boolean {
    return this.#states.get(tenant)?.active !== undefined;
  }

  goneFrom(wanted: ReadonlyMap<string, WantedSet>): readonly string[] {
    return [...this.#states.keys()].filter((tenant) => !wanted.has(tenant));
  }

  /** New, changed, or failed before: what kept it from being loaded may have been the engine. */
  isDue(wanted: WantedSet): boolean {
    const state = this.#states.get(wanted.tenant);
    return state?.tried?.fingerprint !== wanted.fingerprint || state.problems.length > 0;
  }

  /** Publishes what passed beside what stays, then turns the pointers. */
  async activate(change: Activation): Promise<void> {
    const { changed, gone, tried } = change;
    const results = tried.kind === 'done' ? tried.value : new Map<string, Rehearsed>();
    const passed = changed.flatMap((wanted): ActiveSet[] => {
      const found = results.get(wanted.tenant);
      return found?.kind === 'passed' ? [{ set: found.set, wanted, warnings: found.warnings }] : [];
    });
    const published = await this.parts.stage.publish(this.#installables([...passed, ...change.beside], gone));
    const failure = [tried, published].find((step) => step.kind === 'failed');
    // All of them before the first is swapped: a tenant with a set of its own hears nothing of everybody's.
    const states = changed.map((wanted) => ({ wanted, state: this.#ownOf(wanted.tenant) }));
    for (const { wanted, state } of states) {
      state.tried = wanted;
      const active = passed.find((one) => one.wanted === wanted);
      const problems = problemsOf(results.get(wanted.tenant), failure?.message);
      if (problems.length > 0 || active === undefined) this.#keepOld(wanted.tenant, state, problems);
      else this.#swap(wanted.tenant, state, active);
    }
    if (published.kind === 'failed') return;
    for (const tenant of gone) {
      this.#states.delete(tenant);
      this.parts.onSwap(tenant, this.versionOf(tenant), this.of(tenant)?.active);
    }
  }

  #keepOld(tenant: string, state: TenantState, problems: readonly SetProblem[]): void {
    state.problems = problems;
    this.parts.onProblem(tenant, summary(problems));
  }

  #swap(tenant: string, state: TenantState, active: ActiveSet): void {
    state.problems = [];
    const isNew = state.active?.set.version !== active.set.version;
    state.active = active;
    if (!isNew) return;
    const tenants =
      tenant === anyTenant ? this.parts.knownTenants.filter((known) => !this.#states.has(known)) : [tenant];
    for (const name of tenants) this.parts.onSwap(name, active.set.version, active);
  }

  #installables(joining: readonly ActiveSet[], gone: readonly string[]): readonly Installable[] {
    const staying = [...this.#states]
      .filter(([tenant]) => !gone.includes(tenant))
      .flatMap(([, { active }]) => (active === undefined ? [] : [active]));
    return [...staying, ...joining].map(({ set, wanted }) => installable(set, wanted, this.parts.directory));
  }

  #ownOf(tenant: string): TenantState {
    const known = this.#states.get(tenant);
    if (known !== undefined) return known;
    const state: TenantState = { problems: [] };
    this.#states.set(tenant, state);
    return state;
  }
}
