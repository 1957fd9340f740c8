import type { ActiveSets } from '../decide/cedar-judge.js';
import { Rehearsals, installable, type Rehearsed, type SetProblem } from './rehearsals.js';
import { RepairSets } from './repair-sets.js';
import type { Replaced, Replacement } from './replacement.js';
import { problemsOf, summary, type ActiveSet, type Standing } from './standing.js';
import {
  anyTenant,
  candidateSet,
  folderDigest,
  wantedBy,
  platformSet,
  wantedSets,
  type OwnTexts,
  type WantedSet,
} from './wanted.js';
import type { WrittenSets } from './written.js';
import type { Directory } from '../question/directory.js';
import type { Installable, Stage, Tried } from '../policy/laboratory.js';
import type { ToolSchemas } from '../policy/lint/tool-schema.js';
import { versionOf, type PolicySet, type PolicyTexts } from '../policy/policy-set.js';
import type { SetStatus } from './set-status.js';
import type { PolicyFolder, PolicySource } from './source.js';

export interface PolicySetsParts {
  readonly folder: PolicyFolder;
  readonly written: WrittenSets;
  readonly stage: Stage;
  readonly directory: Directory;
  readonly schemas?: ToolSchemas;
  /** What is to be said of a set in force since the catalog changed under it. */
  readonly reviewed?: (tenant: string, version: string) => ActiveSet['warnings'] | undefined;
  /** Tenants that have no policies of their own but are shown in the status. */
  readonly knownTenants: readonly string[];
  /** `active` is absent where the tenant has nothing of its own any more, and no set at all. */
  readonly onSwap: (tenant: string, version: string, active?: ActiveSet) => void;
  readonly onProblem: (tenant: string, problem: string) => void;
}

export interface ReloadOptions {
  /** Even what was tried before. */
  readonly again: boolean;
  /** Aborted before its turn comes: nobody waits for it any more, and it is not begun. */
  readonly signal?: AbortSignal;
}

interface TenantState {
  /** What was tried last. */
  tried?: WantedSet;
  active?: ActiveSet;
  problems: readonly SetProblem[];
}

const unanswered = 'the ledger has not yet told which sets were written by API';
const noVersion = 'none';

/**
 * The active set of each tenant: the platform's policies and its own (GOVERNANCE.md 6). A new set replaces the old one in
 * one write, after everything about it was found good; on any problem the old one stays and the status says why.
 */
export class PolicySets implements ActiveSets {
  readonly #states = new Map<string, TenantState>();
  readonly #rehearsals: Rehearsals;
  readonly #repairs: RepairSets;
  #source: PolicySource | undefined;
  #wanted: ReadonlyMap<string, WantedSet> = new Map();
  #sourceProblem: string | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: PolicySetsParts) {
    this.#rehearsals = new Rehearsals(parts);
    this.#repairs = new RepairSets(this.#rehearsals);
  }

  of(tenant: string): PolicySet | undefined {
    return this.#stateOf(tenant)?.active?.set;
  }

  textsOf(tenant: string): PolicyTexts | undefined {
    return this.#stateOf(tenant)?.active?.wanted.texts;
  }

  /** Decides who may give a tenant a set again that has none in force, and on nothing else. */
  repairOf(tenant: string): PolicySet | undefined {
    return this.of(tenant) === undefined ? this.#repairs.of(tenant) : undefined;
  }

  versionOf(tenant: string): string {
    return this.of(tenant)?.version ?? noVersion;
  }

  status(): readonly SetStatus[] {
    const own = [...this.#states.keys()].filter((tenant) => tenant !== anyTenant);
    return [...new Set([...own, ...this.parts.knownTenants])].toSorted().map((tenant) => {
      const { active, problems } = this.standing(tenant);
      return {
        tenant,
        version: active?.set.version ?? noVersion,
        loaded: active !== undefined,
        policies: active?.set.policies.length ?? 0,
        ...(problems.length === 0 ? {} : { problem: summary(problems) }),
      };
    });
  }

  standing(tenant: string): Standing {
    const state = this.#stateOf(tenant);
    const wanted = this.#wanted.get(tenant) ?? this.#wanted.get(anyTenant);
    const message = this.#sourceProblem;
    const active = state?.active;
    const wayOut = this.#repairs.wayOut(tenant);
    const reviewed = active === undefined ? undefined : this.parts.reviewed?.(tenant, active.set.version);
    return {
      ...(active === undefined ? {} : { active: { ...active, warnings: reviewed ?? active.warnings } }),
      ...(wanted === undefined ? {} : { wanted }),
      problems: message === undefined ? (state?.problems ?? []) : [{ message, severity: 'error' }],
      ...(active === undefined && wayOut !== undefined ? { wayOut } : {}),
    };
  }

  /** What of the folder is left aside. */
  strays(): readonly string[] {
    return this.#source?.strays ?? [];
  }

  /** Brings every tenant to what folder and ledger say now. One at a time; never rejects for what they say. */
  reload({ again, signal }: ReloadOptions = { again: false }): Promise<void> {
    return this.#inTurn(() => (signal?.aborted === true ? Promise.resolve() : this.#reload(again)));
  }

  /** What the folder says of a tenant, whether or not it is in force. */
  folderOf(tenant: string): OwnTexts {
    return this.#source?.tenants.get(tenant) ?? {};
  }

  /** Would these texts be taken? Nothing changes. Absent `own`: what the folder says. */
  async check(tenant: string, own: OwnTexts | undefined): Promise<Tried<Rehearsed>> {
    const source = this.#source;
    if (source === undefined)
      return { kind: 'failed', message: this.#sourceProblem ?? 'nothing was read yet' };
    return this.#try(source, wantedBy(source, tenant, own));
  }

  /** Of what these texts would be now; nothing before the folder was read. */
  candidateVersion(tenant: string, own: OwnTexts): string | undefined {
    return this.#source === undefined ? undefined : versionOf(candidateSet(this.#source, tenant, own).texts);
  }

  /** Policies of the platform as a tenant sees them, or would see them. */
  platformOf(tenant: string): OwnTexts {
    return this.textsOf(tenant)?.policies ?? this.#source?.platform ?? {};
  }

  /** Replaces a tenant's set: checked and compared with what is in force at this moment, persisted, swapped. */
  replace(change: Replacement): Promise<Replaced> {
    return this.#inTurn(async () => {
      await this.#reload(false);
      const source = this.#source;
      if (source === undefined || this.#sourceProblem !== undefined)
        return { kind: 'unavailable', cause: this.#sourceProblem ?? 'nothing was read yet' };
      return this.#replace(source, change);
    });
  }

  async #replace(source: PolicySource, change: Replacement): Promise<Replaced> {
    const { tenant, ifVersion } = change;
    const conflict = (): Replaced => ({ kind: 'conflict', version: this.versionOf(tenant) });
    if (this.versionOf(tenant) !== ifVersion) return conflict();
    const tried = await this.#try(source, wantedBy(source, tenant, change.own));
    if (tried.kind === 'failed') return { kind: 'unavailable', cause: tried.message };
    if (tried.value.kind === 'refused') return tried.value;
    const revision = this.#wanted.get(tenant)?.revision ?? 0;
    const persisted = await change.persist({ revision, file: folderDigest(source, tenant) });
    if (persisted.kind === 'unavailable') return persisted;
    await this.#reload(false);
    if (persisted.kind === 'conflict') return conflict();
    if (this.versionOf(tenant) === tried.value.set.version) return { kind: 'replaced' };
    return { kind: 'not_yet_active', cause: summary(this.standing(tenant).problems) };
  }

  async #try(source: PolicySource, candidate: WantedSet): Promise<Tried<Rehearsed>> {
    const tried = await this.#rehearsals.run(platformSet(source), [candidate], { keep: false });
    if (tried.kind === 'failed') return tried;
    const found = tried.value.get(candidate.tenant);
    return found === undefined
      ? { kind: 'failed', message: 'was not checked' }
      : { kind: 'done', value: found };
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#running.then(work);
    this.#running = turn.catch(() => undefined);
    return turn;
  }

  async #reload(again: boolean): Promise<void> {
    const source = await this.#read();
    if (source === undefined) return;
    const wanted = wantedSets(source, this.parts.written);
    this.#wanted = wanted;
    const changed = [...wanted.values()].filter((set) => again || this.#isDue(set));
    const gone = [...this.#states.keys()].filter((tenant) => !wanted.has(tenant));
    if (changed.length === 0 && gone.length === 0) return;
    const unlinted = new Set(changed.map(({ tenant }) => tenant).filter((tenant) => !this.#isActive(tenant)));
    const tried = await this.#rehearsals.run(platformSet(source), changed, { keep: true, unlinted });
    if (tried.kind === 'done')
      await this.#repairs.review(
        source,
        changed.filter((one) => this.#isStranded(one, tried.value.get(one.tenant))),
      );
    await this.#activate({ changed, gone, tried });
  }

  /** What the API wrote is refused, and nothing older decides. */
  #isStranded({ tenant, source }: WantedSet, found: Rehearsed | undefined): boolean {
    return source === 'api' && found?.kind !== 'passed' && !this.#isActive(tenant);
  }

  #isActive(tenant: string): boolean {
    return this.#states.get(tenant)?.active !== undefined;
  }

  async #read(): Promise<PolicySource | undefined> {
    const read = await this.parts.folder.read();
    const problem =
      read.kind === 'unreadable' ? read.problem : this.parts.written.ready ? undefined : unanswered;
    if (problem !== undefined && this.#sourceProblem !== problem) this.parts.onProblem(anyTenant, problem);
    this.#sourceProblem = problem;
    if (read.kind === 'unreadable' || problem !== undefined) return undefined;
    this.#tellStrays(read.source);
    this.#source = read.source;
    return read.source;
  }

  /** Once each: what is left aside today was so yesterday. */
  #tellStrays({ strays }: PolicySource): void {
    const told = new Set(this.#source?.strays);
    for (const stray of strays) if (!told.has(stray)) this.parts.onProblem(anyTenant, stray);
  }

  /** New, changed, or failed before: what kept it from being loaded may have been the engine. */
  #isDue(wanted: WantedSet): boolean {
    const state = this.#states.get(wanted.tenant);
    return state?.tried?.fingerprint !== wanted.fingerprint || state.problems.length > 0;
  }

  /** Publishes what passed beside what stays, then turns the pointers. */
  async #activate(change: {
    changed: readonly WantedSet[];
    gone: readonly string[];
    tried: Tried<ReadonlyMap<string, Rehearsed>>;
  }): Promise<void> {
    const { changed, gone, tried } = change;
    const results = tried.kind === 'done' ? tried.value : new Map<string, Rehearsed>();
    const passed = changed.flatMap((wanted): ActiveSet[] => {
      const found = results.get(wanted.tenant);
      return found?.kind === 'passed' ? [{ set: found.set, wanted, warnings: found.warnings }] : [];
    });
    const published = await this.parts.stage.publish(this.#installables(passed, gone));
    const failure = [tried, published].find((step) => step.kind === 'failed');
    for (const { tenant } of changed)
      if (!this.#states.has(tenant)) this.#states.set(tenant, { problems: [] });
    for (const wanted of changed) {
      const state = this.#states.get(wanted.tenant);
      if (state === undefined) continue;
      state.tried = wanted;
      const active = passed.find((one) => one.wanted === wanted);
      const problems = problemsOf(results.get(wanted.tenant), failure?.message);
      if (problems.length > 0 || active === undefined) this.#keepOld(wanted.tenant, state, problems);
      else this.#swap(wanted.tenant, state, active);
    }
    if (published.kind === 'failed') return;
    for (const tenant of gone) {
      this.#states.delete(tenant);
      this.parts.onSwap(tenant, this.versionOf(tenant), this.#stateOf(tenant)?.active);
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

  #installables(passed: readonly ActiveSet[], gone: readonly string[]): readonly Installable[] {
    const staying = [...this.#states]
      .filter(([tenant]) => !gone.includes(tenant))
      .flatMap(([, { active }]) => (active === undefined ? [] : [active]));
    return [...staying, ...passed, ...this.#repairs.all()].map(({ set, wanted }) =>
      installable(set, wanted, this.parts.directory),
    );
  }

  #stateOf(tenant: string): TenantState | undefined {
    return this.#states.get(tenant) ?? this.#states.get(anyTenant);
  }
}
