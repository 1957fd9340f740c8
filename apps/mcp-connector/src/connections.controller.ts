import { Controller, Inject } from '@nestjs/common';
import { Answers } from '@uar/bus';
import {
  beginConnection,
  finishConnection,
  forgetConnection,
  type AnswerOf,
  type AskOf,
} from '@uar/contracts';
import { Connections } from './domain/account/connections.js';

@Controller()
export class ConnectionsController {
  constructor(@Inject(Connections) private readonly connections: Connections) {}

  @Answers(beginConnection)
  begin(ask: AskOf<typeof beginConnection>): Promise<AnswerOf<typeof beginConnection>> {
    return this.connections.begin(ask);
  }

  @Answers(finishConnection)
  finish(ask: AskOf<typeof finishConnection>): Promise<AnswerOf<typeof finishConnection>> {
    return this.connections.finish(ask);
  }

  @Answers(forgetConnection)
  forget(ask: AskOf<typeof forgetConnection>): Promise<AnswerOf<typeof forgetConnection>> {
    return this.connections.forget(ask);
  }
}
