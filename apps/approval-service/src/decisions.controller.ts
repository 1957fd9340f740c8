import { Controller, Inject } from '@nestjs/common';
import { Answers } from '@uar/bus';
import { readDecisions, recordDecisions, type AnswerOf, type AskOf } from '@uar/contracts';
import type { Ledger } from '@uar/ledger';
import { LEDGER } from './tokens.js';

@Controller()
export class DecisionsController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Answers(recordDecisions)
  record(ask: AskOf<typeof recordDecisions>): Promise<AnswerOf<typeof recordDecisions>> {
    return this.ledger.recordDecisions({ ...ask, now: Date.now() });
  }

  @Answers(readDecisions)
  read(ask: AskOf<typeof readDecisions>): Promise<AnswerOf<typeof readDecisions>> {
    return this.ledger.readDecisions(ask);
  }
}
