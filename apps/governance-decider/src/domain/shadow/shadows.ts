import type {
  AnswerOf,
  AskOf,
  Principal,
  ShadowView,
  StoredShadow,
  readShadow,
  writeShadow,
} from '@uar/contracts';
import { candidateTexts, onCandidate, type ActiveTexts, type CandidateParts } from '../candidate-judge.js';
import { versionOf, type PolicyTexts } from '../policy/policy-set.js';
import { isDecided, type DecisionListener, type DecisionNote } from '../record/decision-note.js';
import { invalid } from '../replay/replay.js';
import { ShadowRun } from './shadow-run.js';

type Written = AnswerOf<typeof writeShadow>;

/** What is stored of a tenant; `value` absent: it cannot be read. */
export interface KeptShadow {
  readonly revision: number;
  readonly value?: StoredShadow;
}

/** Where candidates stay. */
export interface ShadowStore {
  of(tenant: string): KeptShadow | undefined;
  /** With its receipt, durable when it resolves; `value` absent removes. `of` knows of it then. */
  write(change: {
    readonly by: Principal;
    readonly revision: number;
    readonly value?: StoredShadow;
  }): Promise<'written' | 'conflict' | { readonly unavailable: string }>;
}

export interface ShadowParts {
  readonly store: ShadowStore;
  readonly active: ActiveTexts;
  readonly candidate: CandidateParts;
  readonly now: () => number;
  /** Between two turns, so that live calls have the machine. */
  readonly rest: () => Promise<void>;
  readonly onFault: (error: unknown) => void;
  /** Which replica counts. */
  readonly replica: string;
}

const perTurn = 32;

/** Candidates beside the active sets: every first decision of a call is made again, later, without anybody waiting for it. */
export class Shadows implements DecisionListener {
  readonly #runs = new Map<string, ShadowRun>();
  #isWorking = false;

  constructor(private readonly parts: ShadowParts) {}

  take(note: DecisionNote): void {
    if (note.votes !== undefined || !isDecided(note.judged.verdict)) return;
    const run = this.#runOf(note.question.caller.principal.tenant);
    if (run === undefined) return;
    run.push(note);
    if (!this.#isWorking) void this.#work();
  }

  read({ tenant }: AskOf<typeof readShadow>): AnswerOf<typeof readShadow> {
    const shadow = this.#viewOf(tenant);
    return shadow === undefined ? { kind: 'not_found' } : { kind: 'found', shadow };
  }

  async write({ caller, policies }: AskOf<typeof writeShadow>): Promise<Written> {
    const { principal } = caller;
    const { store, now } = this.parts;
    const kept = store.of(principal.tenant);
    if (policies === undefined && kept === undefined) return { kind: 'not_found' };
    const refused = policies === undefined ? undefined : await this.#refusalOf(principal.tenant, policies);
    if (refused !== undefined) return refused;
    const written = await store.write({
      by: principal,
      revision: kept?.revision ?? 0,
      ...(policies === undefined ? {} : { value: { policies, since: now() } }),
    });
    if (written === 'conflict') return { kind: 'conflict' };
    if (written !== 'written') return { kind: 'unavailable', cause: written.unavailable };
    const shadow = this.#viewOf(principal.tenant);
    return shadow === undefined ? { kind: 'removed' } : { kind: 'written', shadow };
  }

  async #refusalOf(
    tenant: string,
    policies: Readonly<Record<string, string>>,
  ): Promise<Extract<Written, { kind: 'invalid' | 'unavailable' }> | undefined> {
    const active = this.parts.active.textsOf(tenant);
    if (active === undefined) return { kind: 'unavailable', cause: 'policies_unavailable' };
    const candidate = candidateTexts(active, policies);
    if (candidate.kind === 'unsound') return invalid(candidate.problems);
    const tried = await onCandidate(candidate.texts, this.parts.candidate, () => Promise.resolve());
    if (tried.kind === 'unsound') return invalid(tried.problems, tried.warnings);
    return tried.kind === 'failed' ? { kind: 'unavailable', cause: tried.message } : undefined;
  }

  /** The counts of the candidate that is stored now; another one begins anew. */
  #runOf(tenant: string): ShadowRun | undefined {
    const kept = this.parts.store.of(tenant);
    const run = this.#runs.get(tenant);
    if (kept?.value === undefined) {
      this.#runs.delete(tenant);
      return undefined;
    }
    if (run?.revision === kept.revision) return run;
    const fresh = new ShadowRun(kept.revision, this.parts.now());
    this.#runs.set(tenant, fresh);
    return fresh;
  }

  #viewOf(tenant: string): ShadowView | undefined {
    const run = this.#runOf(tenant);
    const value = this.parts.store.of(tenant)?.value;
    if (run === undefined || value === undefined) return undefined;
    const texts = this.#textsOf(tenant);
    return {
      version: texts === undefined ? 'none' : versionOf(texts),
      since: new Date(value.since).toISOString(),
      counted_since: new Date(run.countedSince).toISOString(),
      replica: this.parts.replica,
      ...run.view(),
    };
  }

  #textsOf(tenant: string): PolicyTexts | undefined {
    const active = this.parts.active.textsOf(tenant);
    const value = this.parts.store.of(tenant)?.value;
    if (active === undefined || value === undefined) return undefined;
    const candidate = candidateTexts(active, value.policies);
    return candidate.kind === 'texts' ? candidate.texts : undefined;
  }

  /** Until nothing waits any more. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    for (;;) {
      await this.parts.rest();
      const due = [...this.#runs].filter(([, run]) => !run.isIdle);
      for (const [tenant, run] of due) await this.#turn(tenant, run);
      if (due.length === 0) break;
    }
    this.#isWorking = false;
  }

  async #turn(tenant: string, run: ShadowRun): Promise<void> {
    const texts = this.#textsOf(tenant);
    try {
      if (texts === undefined) run.drop('the active set of the tenant is not loaded');
      else await run.turn(texts, this.parts.candidate, perTurn);
    } catch (error) {
      run.drop('a fault of the decider');
      this.parts.onFault(error);
    }
  }
}
