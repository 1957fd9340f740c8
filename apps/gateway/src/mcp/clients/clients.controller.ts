import { Controller, Inject } from '@nestjs/common';
import { Answers, type AskContext } from '@uar/bus';
import { askClient, withdrawAsk, type AnswerOf, type AskOf } from '@uar/contracts';
import { CONNECTED_CLIENTS, type ConnectedClients } from '../../domain/client/connected-clients.js';

/** What upstreams ask of the clients that are connected here. */
@Controller()
export class ClientsController {
  constructor(@Inject(CONNECTED_CLIENTS) private readonly clients: ConnectedClients) {}

  @Answers(askClient)
  ask(ask: AskOf<typeof askClient>, context: AskContext): Promise<AnswerOf<typeof askClient>> {
    return this.clients.ask(ask, context);
  }

  @Answers(withdrawAsk)
  withdraw(ask: AskOf<typeof withdrawAsk>): AnswerOf<typeof withdrawAsk> {
    return this.clients.withdraw(ask);
  }
}
