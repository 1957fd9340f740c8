import { Controller, Inject } from '@nestjs/common';
import { Answers } from '@uar/bus';
import {
  claimKey,
  keepCall,
  readKeptCall,
  readLedgerStatus,
  readSettings,
  writeSetting,
  type AnswerOf,
  type AskOf,
} from '@uar/contracts';
import type { Ledger } from '@uar/ledger';
import { LedgerStatus } from './ledger-status.js';
import { LEDGER } from './tokens.js';

@Controller()
export class LedgerController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(LedgerStatus) private readonly status: LedgerStatus,
  ) {}

  @Answers(readSettings)
  readSettings(ask: AskOf<typeof readSettings>): Promise<AnswerOf<typeof readSettings>> {
    return this.ledger.readSettings(ask);
  }

  @Answers(writeSetting)
  writeSetting(ask: AskOf<typeof writeSetting>): Promise<AnswerOf<typeof writeSetting>> {
    return this.ledger.writeSetting(ask);
  }

  @Answers(keepCall)
  keepCall(ask: AskOf<typeof keepCall>): Promise<AnswerOf<typeof keepCall>> {
    return this.ledger.keepCall(ask);
  }

  @Answers(readKeptCall)
  readKeptCall(ask: AskOf<typeof readKeptCall>): Promise<AnswerOf<typeof readKeptCall>> {
    return this.ledger.readKeptCall({ ...ask, now: Date.now() });
  }

  @Answers(claimKey)
  claimKey(ask: AskOf<typeof claimKey>): Promise<AnswerOf<typeof claimKey>> {
    return this.ledger.claimKey({ ...ask, now: Date.now() });
  }

  @Answers(readLedgerStatus)
  readStatus(): Promise<AnswerOf<typeof readLedgerStatus>> {
    return this.status.read();
  }
}
