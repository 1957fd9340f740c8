import { Controller, Inject } from '@nestjs/common';
import { Answers, BUS, type Bus } from '@uar/bus';
import {
  accountChanged,
  keepAuthorization,
  leaseAccount,
  readAccount,
  takeAuthorization,
  writeAccount,
  type AnswerOf,
  type AskOf,
} from '@uar/contracts';
import type { Ledger } from '@uar/ledger';
import { LEDGER } from './tokens.js';

@Controller()
export class AccountsController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(BUS) private readonly bus: Bus,
  ) {}

  @Answers(readAccount)
  read(ask: AskOf<typeof readAccount>): Promise<AnswerOf<typeof readAccount>> {
    return this.ledger.readAccount(ask);
  }

  @Answers(writeAccount)
  async write(ask: AskOf<typeof writeAccount>): Promise<AnswerOf<typeof writeAccount>> {
    const answer = await this.ledger.writeAccount(ask);
    const decided = ask.receipt !== undefined;
    if (answer.kind === 'written')
      this.bus.announce(accountChanged, { account: ask.account, all: false, decided });
    return answer;
  }

  @Answers(leaseAccount)
  lease(ask: AskOf<typeof leaseAccount>): Promise<AnswerOf<typeof leaseAccount>> {
    return this.ledger.leaseAccount({ ...ask, now: Date.now() });
  }

  @Answers(keepAuthorization)
  keep(ask: AskOf<typeof keepAuthorization>): Promise<AnswerOf<typeof keepAuthorization>> {
    return this.ledger.keepAuthorization(ask);
  }

  @Answers(takeAuthorization)
  take(ask: AskOf<typeof takeAuthorization>): Promise<AnswerOf<typeof takeAuthorization>> {
    return this.ledger.takeAuthorization({ ...ask, now: Date.now() });
  }
}
