import { Controller, Inject } from '@nestjs/common';
import { Answers, type AskContext } from '@uar/bus';
import { decideChange, listChanges, type AnswerOf, type AskOf } from '@uar/contracts';
import { ReviewDesk } from './domain/changes/review-desk.js';
import { OPENING, type Opening } from './opening.js';

@Controller()
export class ChangesController {
  constructor(
    @Inject(ReviewDesk) private readonly desk: ReviewDesk,
    @Inject(OPENING) private readonly opening: Opening,
  ) {}

  @Answers(listChanges)
  async list(ask: AskOf<typeof listChanges>, { signal }: AskContext): Promise<AnswerOf<typeof listChanges>> {
    await this.opening.whenOpen(signal);
    return this.desk.list(ask);
  }

  @Answers(decideChange)
  async decide(
    ask: AskOf<typeof decideChange>,
    { signal }: AskContext,
  ): Promise<AnswerOf<typeof decideChange>> {
    await this.opening.whenOpen(signal);
    return this.desk.decide(ask, signal);
  }
}
