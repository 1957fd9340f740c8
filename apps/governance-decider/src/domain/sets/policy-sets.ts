import type { ActiveSets } from '../decide/cedar-judge.js';
import type { Stage, Tried } from '../policy/laboratory.js';
import type { ToolSchemas } from '../policy/lint/tool-schema.js';
import { noVersion, versionOf, type PolicySet, type PolicyTexts } from '../policy/policy-set.js';
import { Rehearsals, type Rehearsed } from './rehearsals.js';
import { RepairSets } from './repair-sets.js';
import type { Replaced, Replacement } from './replacement.js';
import { SetStates, type StatesParts } from './set-states.js';
import type { SetStatus } from './set-status.js';
import type { PolicySource } from './source.js';
import { SourceReader, type SourceParts } from './source-reader.js';
import { summary, type ActiveSet, type Standing } from './standing.js';
import {
  anyTenant,
  candidateSet,
  folderDigest,
  platformSet,
  wantedBy,
  wantedSets,
  type OwnTexts,
  type WantedSet,
} from './wanted.js';

export interface PolicySetsParts extends SourceParts, StatesParts {
  readonly stage: Stage;
  readonly schemas?: ToolSchemas;
  /** What is to be said of a set in force since the catalog changed under it. */
  readonly reviewed?: (tenant: string, version: string) => ActiveSet['warnings'] | undefined;
}

export interface ReloadOptions {
  /** Even what was tried before. */
  readonly again: boolean;
  /** Aborted before its turn comes: nobody waits for it any more, and it is not begun. */
  readonly signal?: AbortSignal;
}

const unread = 'nothing was read yet';

/**
 * The active set of each tenant: the platform's policies and its own (GOVERNANCE.md 6). A new set replaces the old one in
 * one write, after everything about it was found good; on any problem the old one stays and the status says why.
 */
export class PolicySets implements ActiveSets {
  readonly #reader: SourceReader;
  readonly #states: SetStates;
  readonly #rehearsals: Rehearsals;
  readonly #repairs: RepairSets;
  #wanted: ReadonlyMap<string, WantedSet> = new Map();
  #running: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: PolicySetsParts) {
    this.#reader = new SourceReader(parts);
    this.#states = new SetStates(parts);
    this.#rehearsals = new Rehearsals(parts);
    this.#repairs = new RepairSets(this.#rehearsals);
  }

  of(tenant: string): PolicySet | undefined {
    return this.#states.of(tenant)?.active?.set;
  }

  textsOf(tenant: string): PolicyTexts | undefined {
    return this.#states.of(tenant)?.active?.wanted.texts;
  }

  /** Decides who may give a tenant a set again that has none in force, and on nothing else. */
  repairOf(tenant: string): PolicySet | undefined {
    return this.of(tenant) === undefined ? this.#repairs.of(tenant) : undefined;
  }

  versionOf(tenant: string): string {
    return this.#states.versionOf(tenant);
  }

  status(): readonly SetStatus[] {
    return this.#states.tenants().map((tenant) => {
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
    const state = this.#states.of(tenant);
    const wanted = this.#wanted.get(tenant) ?? this.#wanted.get(anyTenant);
    const message = this.#reader.problem;
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
    return this.#reader.strays();
  }

  /** Brings every tenant to what folder and ledger say now. One at a time; never rejects for what they say. */
  reload({ again, signal }: ReloadOptions = { again: false }): Promise<void> {
    return this.#inTurn(() => (signal?.aborted === true ? Promise.resolve() : this.#reload(again)));
  }

  /** What the folder says of a tenant, whether or not it is in force. */
  folderOf(tenant: string): OwnTexts {
    return this.#reader.folderOf(tenant);
  }

  /** Would these texts be taken? Nothing changes. Absent `own`: what the folder says. */
  async check(tenant: string, own: OwnTexts | undefined): Promise<Tried<Rehearsed>> {
    const { source, problem = unread } = this.#reader;
    if (source === undefined) return { kind: 'failed', message: problem };
    return this.#try(source, wantedBy(source, tenant, own));
  }

  /** Of what these texts would be now; nothing before the folder was read. */
  candidateVersion(tenant: string, own: OwnTexts): string | undefined {
    const { source } = this.#reader;
    return source === undefined ? undefined : versionOf(candidateSet(source, tenant, own).texts);
  }

  /** Policies of the platform as a tenant sees them, or would see them. */
  platformOf(tenant: string): OwnTexts {
    return this.textsOf(tenant)?.policies ?? this.#reader.source?.platform ?? {};
  }

  /** Replaces a tenant's set: checked and compared with what is in force at this moment, persisted, swapped. */
  replace(change: Replacement): Promise<Replaced> {
    return this.#inTurn(async () => {
      await this.#reload(false);
      const { source, problem } = this.#reader;
      if (source === undefined || problem !== undefined)
        return { kind: 'unavailable', cause: problem ?? unread };
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
    const source = await this.#reader.read();
    if (source === undefined) return;
    const wanted = wantedSets(source, this.parts.written);
    this.#wanted = wanted;
    const changed = [...wanted.values()].filter((set) => again || this.#states.isDue(set));
    const gone = this.#states.goneFrom(wanted);
    if (changed.length === 0 && gone.length === 0) return;
    const unlinted = new Set(
      changed.map(({ tenant }) => tenant).filter((tenant) => !this.#states.isActive(tenant)),
    );
    const tried = await this.#rehearsals.run(platformSet(source), changed, { keep: true, unlinted });
    if (tried.kind === 'done')
      await this.#repairs.review(
        source,
        changed.filter((one) => this.#isStranded(one, tried.value.get(one.tenant))),
      );
    await this.#states.activate({ changed, gone, tried, beside: this.#repairs.all() });
  }

  /** What the API wrote is refused, and nothing older decides. */
  #isStranded({ tenant, source }: WantedSet, found: Rehearsed | undefined): boolean {
    return source === 'api' && found?.kind !== 'passed' && !this.#states.isActive(tenant);
  }
}
