import type {
  AnswerOf,
  AskOf,
  Principal,
  ShadowView,
  StoredShadow,
  TenantId,
  readShadow,
  writeShadow,
} from '@uar/contracts';
import type { ActiveTexts, CandidateParts, SoundCandidate } from '../candidate-judge.js';
import type { Busy, Candidates, NotSound } from '../lifecycle/candidates.js';
import { noVersion } from '../policy/policy-set.js';
import { isDecided, type DecisionListener, type DecisionNote } from '../record/decision-note.js';
import { ShadowRun } from './shadow-run.js';

type Written = AnswerOf<typeof writeShadow>;

/** What is stored of a tenant; `value` absent: it cannot be read. */
export interface KeptShadow {
  readonly revision: number;
  readonly value?: StoredShadow;
}

/** Where candidates stay. */
export interface ShadowStore {
  /** False before anything was read. */
  readonly ready: boolean;
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
  readonly candidates: Pick<Candidates, 'check' | 'tried' | 'versionOf'>;
  readonly candidate: CandidateParts;
  readonly now: () => number;
  /** Between two turns, so that live calls have the machine. */
  readonly rest: () => Promise<void>;
  readonly onFault: (error: unknown) => void;
  /** Which replica counts. */
  readonly replica: string;
}

const perTurn = 32;

type FoundCandidate =
  | { readonly kind: 'sound'; readonly candidate: SoundCandidate }
  | { readonly kind: 'none'; readonly problem: string };

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
    const { store } = this.parts;
    if (!store.ready) return { kind: 'unavailable', cause: 'shadows_unread' };
    const shadow = this.#viewOf(tenant);
    if (shadow !== undefined) return { kind: 'found', shadow };
    return store.of(tenant) === undefined
      ? { kind: 'not_found' }
      : { kind: 'unavailable', cause: 'shadow_unreadable' };
  }

  /** What nobody can read may be replaced and removed. */
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
    tenant: TenantId,
    policies: Readonly<Record<string, string>>,
  ): Promise<NotSound | Busy | undefined> {
    if (this.parts.active.textsOf(tenant) === undefined)
      return { kind: 'unavailable', cause: 'policies_unavailable' };
    const checked = await this.parts.candidates.check(tenant, policies);
    return checked.kind === 'sound' ? undefined : checked;
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
    return {
      version: this.parts.candidates.versionOf(tenant, value.policies) ?? noVersion,
      since: new Date(value.since).toISOString(),
      counted_since: new Date(run.countedSince).toISOString(),
      replica: this.parts.replica,
      ...run.view(),
    };
  }

  /** Checked again where the platform's policies are others by now; what is wrong is told instead. */
  async #candidateOf(tenant: string, run: ShadowRun): Promise<FoundCandidate> {
    const policies = this.parts.store.of(tenant)?.value?.policies;
    if (policies === undefined) return none('there is no shadow any more');
    const known = run.candidateOf(this.parts.candidates.versionOf(tenant, policies) ?? '');
    if (known !== undefined) return { kind: 'sound', candidate: known };
    const tried = await this.parts.candidates.tried(tenant, policies);
    switch (tried.kind) {
      case 'sound':
        return { kind: 'sound', candidate: tried };
      case 'invalid':
        return none(tried.findings.errors[0]?.message ?? 'the candidate is not sound any more');
      case 'unavailable':
        return none(tried.cause);
    }
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
    try {
      const found = await this.#candidateOf(tenant, run);
      if (found.kind === 'none') run.drop(found.problem);
      else await run.turn(found.candidate, this.parts.candidate, perTurn);
    } catch (error) {
      run.drop('a fault of the decider');
      this.parts.onFault(error);
    }
  }
}

function none(problem: string): FoundCandidate {
  return { kind: 'none', problem };
}
