import type { CedarQuestion, RawAnswer } from '../../../domain/cedar/cedar.js';

/** What the engine said to questions about one part of a set. */
export class KnownAnswers {
  find(question: CedarQuestion, ask: () => RawAnswer): RawAnswer;
}
