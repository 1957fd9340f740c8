import { Controller, Inject } from '@nestjs/common';
import { Answers, BUS, type Bus } from '@uar/bus';
import { putRun, readRun, runChanged, type AnswerOf, type AskOf } from '@uar/contracts';
import type { Ledger } from '@uar/ledger';
import { RunNews } from './run-news.js';
import { LEDGER } from './tokens.js';

@Controller()
export class RunsController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(RunNews) private readonly news: RunNews,
  ) {}

  @Answers(putRun)
  async put(ask: AskOf<typeof putRun>): Promise<AnswerOf<typeof putRun>> {
    const { tenant, run_id } = ask.run;
    const answer = await this.ledger.putRun(ask);
    if (answer.kind !== 'written') return answer;
    const { revision } = answer;
    if (revision > 1) this.bus.announce(runChanged, { tenant, run_id, revision });
    await this.news.written(ask.run, revision);
    return answer;
  }

  @Answers(readRun)
  read(ask: AskOf<typeof readRun>): Promise<AnswerOf<typeof readRun>> {
    return this.ledger.readRun(ask);
  }
}
