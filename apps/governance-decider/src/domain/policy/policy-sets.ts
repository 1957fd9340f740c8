import { rehearseCases } from '../cases/rehearse-cases.js';
import type { ActiveSets } from '../decide/cedar-judge.js';
import type { Directory } from '../question/directory.js';
import { warmUpQuestions } from '../question/warm-up.js';
import { SoundPolicies, checkCandidate } from './candidate.js';
import type { Installable, Laboratory, Stage } from './laboratory.js';
import { versionOf, type PolicySet, type PolicyTexts } from './policy-set.js';
import type { NamedCases, PolicyFolder, PolicySource } from './source.js';

export interface SetStatus {
  readonly tenant: string;
  readonly version: string;
  readonly loaded: boolean;
  readonly policies: number;
  readonly problem?: string;
}

export interface PolicySetsParts {
  readonly folder: PolicyFolder;
  readonly stage: Stage;
  readonly directory: Directory;
  /** Tenants that have no policies of their own but are shown in the status. */
  readonly knownTenants: readonly string[];
  readonly onSwap: (tenant: string, version: string) => void;
  readonly onProblem: (tenant: string, problem: string) => void;
}

interface TenantState {
  /** Fingerprint of what was tried last. */
  tried: string;
  active?: { readonly set: PolicySet; readonly texts: PolicyTexts };
  problem?: string;
}

/** Stands for every tenant without policies of its own: the platform's guards alone, so everything is denied. */
const anyTenant = '*';

/**
 * The active set of each tenant: the platform's policies and its own (GOVERNANCE.md 6). A new set replaces the old one in
 * one write, after everything about it was found good; on any problem the old one stays and the status says why.
 */
export class PolicySets implements ActiveSets {
  readonly #states = new Map<string, TenantState>();
  readonly #sound = new SoundPolicies();
  #sourceProblem: string | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly parts: PolicySetsParts) {}

  of(tenant: string): PolicySet | undefined {
    return this.#stateOf(tenant)?.active?.set;
  }

  status(): readonly SetStatus[] {
    const own = [...this.#states.keys()].filter((tenant) => tenant !== anyTenant);
    return [...new Set([...own, ...this.parts.knownTenants])].toSorted().map((tenant) => {
      const state = this.#stateOf(tenant);
      const problem = this.#sourceProblem ?? state?.problem;
      return {
        tenant,
        version: state?.active?.set.version ?? 'none',
        loaded: state?.active !== undefined,
        policies: state?.active?.set.policies.length ?? 0,
        ...(problem === undefined ? {} : { problem }),
      };
    });
  }

  /** Brings every tenant to what the folder holds now. One at a time; never rejects for what the folder holds. */
  reload(options: { readonly again: boolean } = { again: false }): Promise<void> {
    const turn = this.#running.then(() => this.#reload(options.again));
    this.#running = turn.catch(() => undefined);
    return turn;
  }

  async #reload(again: boolean): Promise<void> {
    const read = await this.parts.folder.read();
    if (read.kind === 'unreadable') {
      if (this.#sourceProblem !== read.problem) this.parts.onProblem(anyTenant, read.problem);
      this.#sourceProblem = read.problem;
      return;
    }
    this.#sourceProblem = undefined;
    const wanted = wantedSets(read.source);
    const changed = [...wanted].filter(([tenant, set]) => again || this.#isDue(tenant, set));
    const gone = [...this.#states.keys()].filter((tenant) => !wanted.has(tenant));
    if (changed.length === 0 && gone.length === 0) return;
    const tried = await this.parts.stage.rehearse((laboratory) => this.#rehearse(changed, laboratory));
    const candidates = tried.kind === 'done' ? tried.value : new Map<string, Rehearsed>();
    const engineProblem = tried.kind === 'failed' ? tried.message : undefined;
    await this.#activate({ changed, gone, candidates, engineProblem });
  }

  /** New, changed, or failed before: what kept it from being loaded may have been the engine. */
  #isDue(tenant: string, wanted: WantedSet): boolean {
    const state = this.#states.get(tenant);
    return state?.tried !== wanted.fingerprint || state.problem !== undefined;
  }

  async #rehearse(
    changed: readonly (readonly [string, WantedSet])[],
    laboratory: Laboratory,
  ): Promise<ReadonlyMap<string, Rehearsed>> {
    const rehearsed = new Map<string, Rehearsed>();
    for (const [tenant, wanted] of changed)
      rehearsed.set(
        tenant,
        await rehearse(wanted, { laboratory, sound: this.#sound, directory: this.parts.directory }),
      );
    return rehearsed;
  }

  /** Publishes what passed beside what stays, then turns the pointers. */
  async #activate(change: {
    changed: readonly (readonly [string, WantedSet])[];
    gone: readonly string[];
    candidates: ReadonlyMap<string, Rehearsed>;
    engineProblem: string | undefined;
  }): Promise<void> {
    const { changed, gone, candidates, engineProblem } = change;
    const passed = changed.filter(([tenant]) => candidates.get(tenant)?.kind === 'passed');
    const published = await this.parts.stage.publish(this.#installables(passed, gone, candidates));
    for (const [tenant] of changed) if (!this.#states.has(tenant)) this.#states.set(tenant, { tried: '' });
    for (const [tenant, wanted] of changed) {
      const rehearsed = candidates.get(tenant);
      const state = this.#states.get(tenant);
      if (state === undefined) continue;
      state.tried = wanted.fingerprint;
      const problem = problemOf(
        rehearsed,
        engineProblem ?? (published.kind === 'failed' ? published.message : undefined),
      );
      if (problem !== undefined) this.#keepOld(tenant, state, problem);
      else if (rehearsed?.kind === 'passed')
        this.#swap(tenant, state, { set: rehearsed.set, texts: wanted.texts });
    }
    if (published.kind === 'failed') return;
    for (const tenant of gone) {
      this.#states.delete(tenant);
      this.parts.onSwap(tenant, this.of(tenant)?.version ?? 'none');
    }
  }

  #keepOld(tenant: string, state: TenantState, problem: string): void {
    state.problem = problem;
    this.parts.onProblem(tenant, problem);
  }

  #swap(tenant: string, state: TenantState, active: NonNullable<TenantState['active']>): void {
    delete state.problem;
    const isNew = state.active?.set.version !== active.set.version;
    state.active = active;
    if (!isNew) return;
    const tenants =
      tenant === anyTenant ? this.parts.knownTenants.filter((known) => !this.#states.has(known)) : [tenant];
    for (const name of tenants) this.parts.onSwap(name, active.set.version);
  }

  #installables(
    passed: readonly (readonly [string, WantedSet])[],
    gone: readonly string[],
    candidates: ReadonlyMap<string, Rehearsed>,
  ): readonly Installable[] {
    const staying = [...this.#states]
      .filter(([tenant]) => !gone.includes(tenant))
      .flatMap(([, { active }]) => (active === undefined ? [] : [active]));
    const coming = passed.flatMap(([tenant, { texts }]) => {
      const found = candidates.get(tenant);
      return found?.kind === 'passed' ? [{ set: found.set, texts }] : [];
    });
    return [...staying, ...coming].map(({ set, texts }) => ({
      ...texts,
      version: set.version,
      warmUp: warmUpQuestions(set, this.parts.directory),
    }));
  }

  #stateOf(tenant: string): TenantState | undefined {
    return this.#states.get(tenant) ?? this.#states.get(anyTenant);
  }
}

interface WantedSet {
  readonly texts: PolicyTexts;
  readonly cases: readonly NamedCases[];
  readonly fingerprint: string;
}

type Rehearsed =
  | { readonly kind: 'passed'; readonly set: PolicySet }
  | { readonly kind: 'refused'; readonly problem: string };

/** One set per tenant folder, and one for everybody else; the platform's cases run with that one. */
function wantedSets(source: PolicySource): ReadonlyMap<string, WantedSet> {
  const { schema, platform } = source;
  const wanted = (own: Readonly<Record<string, string>>, set: string): WantedSet => {
    const texts = { schema, policies: { ...platform, ...own } };
    const cases = source.cases.filter(({ cases: file }) => file.set === set);
    return { texts, cases, fingerprint: `${versionOf(texts)} ${JSON.stringify(cases)}` };
  };
  const tenants = [...source.tenants].map(([tenant, own]): [string, WantedSet] => [
    tenant,
    wanted(own, `tenant:${tenant}`),
  ]);
  return new Map([[anyTenant, wanted({}, 'platform')], ...tenants]);
}

async function rehearse(
  wanted: WantedSet,
  on: { readonly laboratory: Laboratory; readonly sound: SoundPolicies; readonly directory: Directory },
): Promise<Rehearsed> {
  const { laboratory, sound } = on;
  const candidate = await checkCandidate(wanted.texts, laboratory, { sound });
  if (candidate.kind === 'unsound') {
    const [first] = candidate.problems;
    const more = candidate.problems.length > 1 ? ` (and ${candidate.problems.length - 1} more)` : '';
    return { kind: 'refused', problem: `${first?.policy ?? 'set'}: ${first?.message ?? ''}${more}` };
  }
  const { set } = candidate;
  const warmUp = warmUpQuestions(set, on.directory);
  const installed = await laboratory.install({ ...wanted.texts, version: set.version, warmUp });
  if (installed.kind === 'failed') return { kind: 'refused', problem: installed.message };
  for (const { file, cases } of wanted.cases) {
    const [failure] = await rehearseCases(cases, wanted.texts, on);
    if (failure !== undefined)
      return { kind: 'refused', problem: `${file}, ${failure.case}: ${failure.differences.join(', ')}` };
  }
  return { kind: 'passed', set };
}

function problemOf(rehearsed: Rehearsed | undefined, engineProblem: string | undefined): string | undefined {
  if (rehearsed?.kind === 'refused') return rehearsed.problem;
  return engineProblem ?? (rehearsed === undefined ? 'was not checked' : undefined);
}
