import type { CedarQuestion, Engine, RawAnswer } from '../../cedar/cedar.js';
import type { PolicySet } from '../../policy/policy-set.js';
import type { ToolAction } from '../../policy/scope.js';
import { partsOf, type Slice } from '../../policy/slices.js';
import { narrowed } from '../../question/narrowed.js';
import { DecisionCache } from './decision-cache.js';
import { joined } from './joined-answers.js';

type Known = Map<Slice['action'], readonly RawAnswer[]>;

export interface AskedAction {
  readonly action: ToolAction;
  /** Questions of the action, in one order whenever they are made. */
  readonly questions: () => readonly CedarQuestion[];
}

interface Piece {
  readonly slice: Slice;
  /** What is known of it, or what has to be asked. */
  readonly known?: readonly RawAnswer[] | undefined;
  readonly questions: readonly CedarQuestion[];
}

/**
 * Asks about actions, and again only what may come out otherwise: policies that read neither arguments nor the clock say the
 * same about the next call of the same tool by the same caller. Only answers that rest on the policies are kept.
 */
export class SteadyAnswers {
  readonly #known: DecisionCache<Known>;

  constructor(
    private readonly engine: Engine,
    maxRemembered: number,
  ) {
    this.#known = new DecisionCache(maxRemembered);
  }

  /**
   * By action, one answer per question.
   * @param key names the ground, the caller and the tool: all that a steady answer rests on
   */
  async ask(
    key: string,
    set: PolicySet,
    asked: readonly AskedAction[],
  ): Promise<ReadonlyMap<ToolAction, readonly (RawAnswer | undefined)[]>> {
    const known: Known = this.#known.find(key) ?? new Map();
    const pieces = asked.map(({ action, questions }) => ({
      action,
      pieces: piecesOf(partsOf(set, action), known, questions),
    }));
    const questions = pieces.flatMap((ofAction) => ofAction.pieces.flatMap((piece) => piece.questions));
    const answers =
      questions.length === 0
        ? []
        : await this.engine.ask({ set: set.version, questions, stopAtRefusal: false });
    let from = 0;
    const answersOf = (piece: Piece): readonly RawAnswer[] => {
      if (piece.known !== undefined) return piece.known;
      from += piece.questions.length;
      const found = answers.slice(from - piece.questions.length, from);
      if (piece.slice.isSteady && found.every(({ kind }) => kind === 'decided'))
        known.set(piece.slice.action, found);
      return found;
    };
    const found = new Map(
      pieces.map((ofAction) => [ofAction.action, joined(ofAction.pieces.map(answersOf))]),
    );
    this.#known.store(key, known);
    return found;
  }
}

function piecesOf(
  slices: readonly Slice[],
  known: Known,
  questions: AskedAction['questions'],
): readonly Piece[] {
  return slices.map((slice) => {
    const found = slice.isSteady ? known.get(slice.action) : undefined;
    return {
      slice,
      known: found,
      questions: found === undefined ? questions().map((question) => narrowed(question, slice)) : [],
    };
  });
}
