import { Controller, Inject } from '@nestjs/common';
import { Answers } from '@uar/bus';
import { appendEvents, readEvents, type AnswerOf, type AskOf } from '@uar/contracts';
import type { Ledger } from '@uar/ledger';
import { EventBook } from './event-book.js';
import { LEDGER } from '../tokens.js';

@Controller()
export class EventsController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(EventBook) private readonly book: EventBook,
  ) {}

  @Answers(appendEvents)
  async append(ask: AskOf<typeof appendEvents>): Promise<AnswerOf<typeof appendEvents>> {
    const { groups, ...from } = ask;
    return { appended: await this.book.append(groups, from) };
  }

  @Answers(readEvents)
  read(ask: AskOf<typeof readEvents>): Promise<AnswerOf<typeof readEvents>> {
    return this.ledger.readEvents(ask);
  }
}
