import { Controller, Inject, Req, Res } from '@nestjs/common';
import { DeliveryId } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WEBHOOK_DELIVERIES, type WebhookDeliveries } from '../domain/delivery.js';
import { sendJson } from '../http/answer.js';
import { DeliveryListQuery, NoQuery } from '../http/asks.js';
import { readQuery } from '../http/read.js';
import { Refusal, notAvailable, notFound } from '../http/refusal.js';
import { callerOf, pathParameter } from '../http/request.js';
import { Serves } from '../http/route.js';
import { deliveryRoutes as routes } from './delivery-routes.js';

@Controller()
export class DeliveriesController {
  constructor(@Inject(WEBHOOK_DELIVERIES) private readonly deliveries: WebhookDeliveries) {}

  @Serves(routes.listDeliveries)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { status, cursor, limit } = readQuery(request.query, DeliveryListQuery);
    const page = await this.deliveries.list({
      tenant: callerOf(request).principal.tenant,
      limit,
      ...(status === undefined ? {} : { status }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    if ('kind' in page) throw notAvailable();
    sendJson(reply, page);
  }

  @Serves(routes.retryDelivery)
  async retry(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const id = DeliveryId.safeParse(pathParameter(request, 'id'));
    if (!id.success) throw noMessage();
    const answer = await this.deliveries.retry(callerOf(request).principal, id.data);
    switch (answer.kind) {
      case 'retried':
        return sendJson(reply, answer.delivery);
      case 'not_found':
        throw noMessage();
      case 'not_dead':
        throw new Refusal(409, 'delivery_not_dead', {
          message: 'Only a message that was given up can be sent again.',
          details: { status: answer.status },
        });
      case 'off':
        throw new Refusal(409, 'webhook_not_configured', {
          message: 'No webhook is configured: see approvals.webhook.',
        });
      case 'unavailable':
        throw notAvailable();
    }
  }
}

function noMessage(): Refusal {
  return notFound('There is no message of this id.');
}
