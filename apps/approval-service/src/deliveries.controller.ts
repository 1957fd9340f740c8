import { Controller, Inject } from '@nestjs/common';
import { Answers } from '@uar/bus';
import { listDeliveries, retryDelivery, type AnswerOf, type AskOf } from '@uar/contracts';
import { Deliveries } from './domain/webhook/deliveries.js';

@Controller()
export class DeliveriesController {
  constructor(@Inject(Deliveries) private readonly deliveries: Deliveries) {}

  @Answers(listDeliveries)
  list(ask: AskOf<typeof listDeliveries>): Promise<AnswerOf<typeof listDeliveries>> {
    return this.deliveries.list(ask);
  }

  @Answers(retryDelivery)
  retry(ask: AskOf<typeof retryDelivery>): Promise<AnswerOf<typeof retryDelivery>> {
    return this.deliveries.retry(ask);
  }
}
