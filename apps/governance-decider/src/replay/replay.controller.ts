import { Controller, Inject } from '@nestjs/common';
import { Answers, type AskContext } from '@uar/bus';
import { readShadow, replayDecisions, writeShadow, type AnswerOf, type AskOf } from '@uar/contracts';
import type { Rehearsals } from '../domain/rehearsals.js';
import { REHEARSALS } from '../tokens.js';

@Controller()
export class ReplayController {
  constructor(@Inject(REHEARSALS) private readonly rehearsals: Rehearsals) {}

  @Answers(replayDecisions)
  replay(
    ask: AskOf<typeof replayDecisions>,
    { deadlineAt }: AskContext,
  ): Promise<AnswerOf<typeof replayDecisions>> {
    return this.rehearsals.replay(ask, deadlineAt);
  }

  @Answers(writeShadow)
  writeShadow(ask: AskOf<typeof writeShadow>): Promise<AnswerOf<typeof writeShadow>> {
    return this.rehearsals.writeShadow(ask);
  }

  @Answers(readShadow)
  readShadow(ask: AskOf<typeof readShadow>): AnswerOf<typeof readShadow> {
    return this.rehearsals.readShadow(ask);
  }
}
