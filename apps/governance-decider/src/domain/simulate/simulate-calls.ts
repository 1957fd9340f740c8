import type { AnswerOf, AskOf, CandidateProblem, simulateCalls } from '@uar/contracts';
import type { Engine } from '../cedar/cedar.js';
import { candidateTexts, onCandidate, type ActiveTexts, type CandidateParts } from '../candidate-judge.js';
import type { CedarParts } from '../decide/cedar-judge.js';
import type { Simulator } from '../explain/explainer.js';
import type { PolicyProblem } from '../policy/lint/problem.js';
import type { PolicySet, PolicyTexts } from '../policy/policy-set.js';
import { VerdictMatrix, VerdictTable, type Filled } from './verdict-matrix.js';

export type SimulateAsk = AskOf<typeof simulateCalls>;
export type Simulated = AnswerOf<typeof simulateCalls>;
type Refused = Exclude<Simulated, { kind: 'simulated' }>;

export interface SimulateParts extends CandidateParts, Pick<CedarParts, 'sets' | 'profile' | 'now'> {
  readonly texts: ActiveTexts;
}

/** Longest time of one simulation, and of one piece of it: reloads of policies come between pieces. */
const mostMs = 20_000;
const pieceMs = 500;

/** Judges in the spare instance with the code that decides live calls; live calls are asked elsewhere. */
export class CallSimulator implements Simulator {
  constructor(private readonly parts: SimulateParts) {}

  async simulate(ask: SimulateAsk): Promise<Simulated> {
    const set = this.parts.sets.of(ask.tenant);
    const active = this.parts.texts.textsOf(ask.tenant);
    if (set === undefined || active === undefined)
      return { kind: 'unavailable', cause: 'policies_unavailable' };
    const simulation = new Simulation(ask, set, this.parts);
    if (ask.policies === undefined) return simulation.ofActive();
    const candidate = candidateTexts(active, ask.policies);
    if (candidate.kind === 'unsound') return unsound(candidate.problems, []);
    return simulation.ofBoth(candidate.texts);
  }
}

class Simulation {
  readonly #table = new VerdictTable();
  readonly #until: number;
  readonly #active: VerdictMatrix;
  #candidate: { readonly matrix: VerdictMatrix; readonly version: string } | undefined;
  #warnings: readonly PolicyProblem[] = [];

  constructor(
    private readonly ask: SimulateAsk,
    private readonly set: PolicySet,
    private readonly parts: SimulateParts,
  ) {
    this.#until = parts.now() + mostMs;
    this.#active = this.matrixOf(set);
  }

  async ofActive(): Promise<Simulated> {
    return this.inPieces(async () => {
      const tried = await this.parts.stage.rehearse(({ engine }) =>
        this.#active.fill(engine, this.pieceEnd()),
      );
      return tried.kind === 'done' ? tried.value : { kind: 'unavailable', cause: tried.message };
    });
  }

  async ofBoth(texts: PolicyTexts): Promise<Simulated> {
    return this.inPieces(async () => {
      const tried = await onCandidate(texts, this.parts, ({ set, engine }) => this.fillBoth(set, engine));
      switch (tried.kind) {
        case 'done':
          this.#warnings = tried.warnings;
          return tried.value;
        case 'unsound':
          return unsound(tried.problems, tried.warnings);
        case 'failed':
          return { kind: 'unavailable', cause: tried.message };
      }
    });
  }

  private async fillBoth(set: PolicySet, engine: Engine): Promise<Filled> {
    this.#candidate ??= { matrix: this.matrixOf(set), version: set.version };
    const end = this.pieceEnd();
    const filled = await this.#active.fill(engine, end);
    return filled.kind === 'complete' ? this.#candidate.matrix.fill(engine, end) : filled;
  }

  private async inPieces(piece: () => Promise<Filled | Refused>): Promise<Simulated> {
    for (;;) {
      const filled = await piece();
      switch (filled.kind) {
        case 'complete':
          return this.answer();
        case 'lost':
          return { kind: 'unavailable', cause: filled.cause };
        case 'unfinished':
          if (this.parts.now() >= this.#until) return { kind: 'too_slow', most_ms: mostMs };
          break;
        case 'unsound':
        case 'governance_off':
        case 'unavailable':
        case 'too_slow':
          return filled;
      }
    }
  }

  private pieceEnd(): number {
    return Math.min(this.#until, this.parts.now() + pieceMs);
  }

  private matrixOf(set: PolicySet): VerdictMatrix {
    const { directory, profile, now } = this.parts;
    const { callers, tools } = this.ask;
    return new VerdictMatrix({ set, callers, tools, directory, profile, now }, this.#table);
  }

  private answer(): Simulated {
    const candidate = this.#candidate;
    return {
      kind: 'simulated',
      active_version: this.set.version,
      verdicts: this.#table.verdicts,
      active: this.#active.indexes(),
      ...(candidate === undefined
        ? {}
        : { candidate_version: candidate.version, candidate: candidate.matrix.indexes() }),
      warnings: this.#warnings.map(shown),
    };
  }
}

function unsound(problems: readonly PolicyProblem[], warnings: readonly PolicyProblem[]): Refused {
  return { kind: 'unsound', errors: problems.map(shown), warnings: warnings.map(shown) };
}

function shown({ policy, message, line, column, suggestion }: PolicyProblem): CandidateProblem {
  return {
    ...(policy === undefined ? {} : { policy_id: policy }),
    message,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}
