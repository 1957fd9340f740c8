import { Controller, Inject } from '@nestjs/common';
import { Answers, BUS, type Bus } from '@uar/bus';
import { putRun, readRun, runChanged, type AnswerOf, type AskOf } from '@uar/contracts';
import type { Ledger } from '@uar/ledger';
import { LEDGER } from './tokens.js';

@Controller()
export class RunsController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(BUS) private readonly bus: Bus,
  ) {}

  @Answers(putRun)
  async put(ask: AskOf<typeof putRun>): Promise<AnswerOf<typeof putRun>> {
    const { tenant, run_id } = ask.run;
    const answer = await this.ledger.putRun(ask);
    const isNews = answer.kind === 'written' && answer.revision > 1;
    if (isNews) this.bus.announce(runChanged, { tenant, run_id, revision: answer.revision });
    return answer;
  }

  @Answers(readRun)
  read(ask: AskOf<typeof readRun>): Promise<AnswerOf<typeof readRun>> {
    return this.ledger.readRun(ask);
  }
}
