import type { AnswerOf, AskOf, explainCall, simulateCalls } from '@uar/contracts';

/** Says how a call would be decided, and why. */
export interface Explainer {
  explain(ask: AskOf<typeof explainCall>): Promise<AnswerOf<typeof explainCall>>;
}

/** Says how many calls would be decided, by the active set and by another one. */
export interface Simulator {
  /** `deadlineAt`: epoch milliseconds. */
  simulate(ask: AskOf<typeof simulateCalls>, deadlineAt: number): Promise<AnswerOf<typeof simulateCalls>>;
}

/** With Cedar switched off there is nothing to simulate. */
export const noSimulator: Simulator = { simulate: () => Promise.resolve({ kind: 'off' }) };
