import { Controller, Inject } from '@nestjs/common';
import { Answers, BUS, type Bus } from '@uar/bus';
import {
  accountChanged,
  claimKey,
  keepCall,
  readKeptCall,
  readLedgerStatus,
  readSettings,
  serversNamespace,
  settingsChanged,
  takeQuota,
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
    @Inject(BUS) private readonly bus: Bus,
  ) {}

  @Answers(readSettings)
  readSettings(ask: AskOf<typeof readSettings>): Promise<AnswerOf<typeof readSettings>> {
    return this.ledger.readSettings(ask);
  }

  @Answers(writeSetting)
  async writeSetting(ask: AskOf<typeof writeSetting>): Promise<AnswerOf<typeof writeSetting>> {
    const { tenant, namespace, key } = ask;
    const answer = await this.ledger.writeSetting(ask);
    if (answer.kind !== 'written') return answer;
    this.bus.announce(settingsChanged, { tenant, namespace, key });
    if (namespace === serversNamespace)
      this.bus.announce(accountChanged, { account: { tenant, server: key }, all: true, decided: true });
    return answer;
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

  @Answers(takeQuota)
  takeQuota(ask: AskOf<typeof takeQuota>): Promise<AnswerOf<typeof takeQuota>> {
    return this.ledger.takeQuota({ ...ask, now: Date.now() });
  }

  @Answers(readLedgerStatus)
  readStatus(): Promise<AnswerOf<typeof readLedgerStatus>> {
    return this.status.read();
  }
}
