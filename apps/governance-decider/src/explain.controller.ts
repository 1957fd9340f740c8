import { Controller, Inject } from '@nestjs/common';
import { Answers, type AskContext } from '@uar/bus';
import { explainCall, simulateCalls, type AnswerOf, type AskOf } from '@uar/contracts';
import type { Explainer, Simulator } from './domain/explain/explainer.js';
import { EXPLAINER, SIMULATOR } from './tokens.js';

@Controller()
export class ExplainController {
  constructor(
    @Inject(EXPLAINER) private readonly explainer: Explainer,
    @Inject(SIMULATOR) private readonly simulator: Simulator,
  ) {}

  @Answers(explainCall)
  explain(ask: AskOf<typeof explainCall>): Promise<AnswerOf<typeof explainCall>> {
    return this.explainer.explain(ask);
  }

  @Answers(simulateCalls)
  simulate(
    ask: AskOf<typeof simulateCalls>,
    { deadlineAt }: AskContext,
  ): Promise<AnswerOf<typeof simulateCalls>> {
    return this.simulator.simulate(ask, deadlineAt);
  }
}
