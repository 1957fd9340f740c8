import { Controller, Inject } from '@nestjs/common';
import { Answers } from '@uar/bus';
import {
  appendReceipts,
  listReceipts,
  readReceipt,
  verifyReceipts,
  writeIntent,
  type AnswerOf,
  type AskOf,
} from '@uar/contracts';
import type { Ledger } from '@uar/ledger';
import { LEDGER } from './tokens.js';

@Controller()
export class ReceiptsController {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  @Answers(writeIntent)
  intent(ask: AskOf<typeof writeIntent>): Promise<AnswerOf<typeof writeIntent>> {
    return this.ledger.writeIntent(ask);
  }

  @Answers(appendReceipts)
  async append(ask: AskOf<typeof appendReceipts>): Promise<AnswerOf<typeof appendReceipts>> {
    return { positions: [...(await this.ledger.appendReceipts(ask))] };
  }

  @Answers(listReceipts)
  list(ask: AskOf<typeof listReceipts>): Promise<AnswerOf<typeof listReceipts>> {
    return this.ledger.listReceipts(ask);
  }

  @Answers(readReceipt)
  read(ask: AskOf<typeof readReceipt>): Promise<AnswerOf<typeof readReceipt>> {
    return this.ledger.readReceipt(ask);
  }

  @Answers(verifyReceipts)
  verify(ask: AskOf<typeof verifyReceipts>): Promise<AnswerOf<typeof verifyReceipts>> {
    return this.ledger.verifyReceipts(ask);
  }
}
