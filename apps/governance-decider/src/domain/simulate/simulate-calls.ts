import type { AnswerOf, AskOf, simulateCalls } from '@uar/contracts';
import type { Engine } from '../cedar/cedar.js';
import { onCandidate, type CandidateParts } from '../candidate-judge.js';
import type { CedarParts } from '../decide/cedar-judge.js';
import type { Simulator } from '../explain/explainer.js';
import { inTime } from '../in-time.js';
import type { Candidates, SoundTexts } from '../lifecycle/candidates.js';
import { problemView } from '../lifecycle/views.js';
import type { PolicySet } from '../policy/policy-set.js';
import { VerdictMatrix, VerdictTable, type Filled } from './verdict-matrix.js';

export type SimulateAsk = AskOf<typeof simulateCalls>;
export type Simulated = AnswerOf<typeof simulateCalls>;
type Unavailable = Extract<Simulated, { kind: 'unavailable' }>;

export interface SimulateParts extends CandidateParts, Pick<CedarParts, 'sets' | 'profile' | 'now'> {
  readonly candidates: Pick<Candidates, 'use' | 'inPlace'>;
}

/** Longest time of one simulation, and of one piece of it: reloads of policies come between pieces. */
const mostMs = 20_000;
const pieceMs = 500;
/** Left for the answer itself. */
const marginMs = 1_000;

/** Judges in the spare instance with the code that decides live calls; live calls are asked elsewhere. */
export class CallSimulator implements Simulator {
  constructor(private readonly parts: SimulateParts) {}

  async simulate(ask: SimulateAsk, deadlineAt = Infinity): Promise<Simulated> {
    const set = this.parts.sets.of(ask.tenant);
    if (set === undefined) return { kind: 'unavailable', cause: 'policies_unavailable' };
    const began = this.parts.now();
    const until = Math.min(began + mostMs, deadlineAt - marginMs);
    const simulation = new Simulation(ask, set, { ...this.parts, until });
    // Whoever waits in line for the spare instance notices no time: this does.
    const signal = AbortSignal.timeout(Math.max(0, Math.min(mostMs, until - began)));
    const found = await inTime(this.#run(ask, simulation), signal);
    return found.kind === 'done' ? found.value : { kind: 'too_slow', most_ms: mostMs };
  }

  #run(ask: SimulateAsk, simulation: Simulation): Promise<Simulated> {
    const { candidates } = this.parts;
    if (ask.policies === undefined) return candidates.inPlace(ask.tenant, () => simulation.ofActive());
    return candidates.use(ask.tenant, ask.policies, (sound) => simulation.ofBoth(sound));
  }
}

class Simulation {
  readonly #table = new VerdictTable();
  readonly #active: VerdictMatrix;
  #candidate: { readonly matrix: VerdictMatrix; readonly sound: SoundTexts } | undefined;

  constructor(
    private readonly ask: SimulateAsk,
    private readonly set: PolicySet,
    private readonly parts: SimulateParts & { readonly until: number },
  ) {
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

  async ofBoth(sound: SoundTexts): Promise<Simulated> {
    const matrix = this.matrixOf(sound.set);
    this.#candidate = { matrix, sound };
    return this.inPieces(async () => {
      const tried = await onCandidate(sound, this.parts, ({ engine }) => this.fillBoth(matrix, engine));
      return tried.kind === 'done' ? tried.value : { kind: 'unavailable', cause: tried.message };
    });
  }

  private async fillBoth(candidate: VerdictMatrix, engine: Engine): Promise<Filled> {
    const end = this.pieceEnd();
    const filled = await this.#active.fill(engine, end);
    return filled.kind === 'complete' ? candidate.fill(engine, end) : filled;
  }

  private async inPieces(piece: () => Promise<Filled | Unavailable>): Promise<Simulated> {
    for (;;) {
      const filled = await piece();
      switch (filled.kind) {
        case 'complete':
          return this.answer();
        case 'lost':
          return { kind: 'unavailable', cause: filled.cause };
        case 'unfinished':
          if (this.parts.now() >= this.parts.until) return { kind: 'too_slow', most_ms: mostMs };
          break;
        case 'unavailable':
          return filled;
      }
    }
  }

  private pieceEnd(): number {
    return Math.min(this.parts.until, this.parts.now() + pieceMs);
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
        : { candidate_version: candidate.sound.set.version, candidate: candidate.matrix.indexes() }),
      warnings: (candidate?.sound.warnings ?? []).map(problemView),
    };
  }
}
