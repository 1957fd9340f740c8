import { Controller, Inject, Req, Res } from '@nestjs/common';
import { BUS, type Bus } from '@uar/bus';
import { decideChange, listChanges } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from '../http/answer.js';
import { asked } from '../http/asked.js';
import { NoQuery } from '../http/asks.js';
import { readQuery } from '../http/read.js';
import { Refusal, notAvailable, notFound } from '../http/refusal.js';
import { callerOf, pathParameter } from '../http/request.js';
import { Serves } from '../http/route.js';
import { changeRoutes as routes } from './change-routes.js';

const noChange = 'There is no such change.';

/** Review of changed definitions (API.md 3). */
@Controller()
export class ChangesController {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  @Serves(routes.listChanges)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { tenant } = callerOf(request).principal;
    const answer = await asked(this.bus, listChanges, { tenant, name: pathParameter(request, 'name') });
    switch (answer.kind) {
      case 'listed':
        return sendJson(reply, { changes: answer.changes });
      case 'not_found':
        throw notFound('There is no server of this name.');
      case 'unavailable':
        throw notAvailable();
    }
  }

  @Serves(routes.acceptChange)
  accept(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.decide(request, reply, 'accept');
  }

  @Serves(routes.rejectChange)
  reject(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.decide(request, reply, 'reject');
  }

  private async decide(
    request: FastifyRequest,
    reply: FastifyReply,
    decision: 'accept' | 'reject',
  ): Promise<void> {
    readQuery(request.query, NoQuery);
    const answer = await asked(this.bus, decideChange, {
      principal: callerOf(request).principal,
      name: pathParameter(request, 'name'),
      id: pathParameter(request, 'id'),
      decision,
    });
    switch (answer.kind) {
      case 'decided':
        return sendJson(reply, answer.decided);
      case 'not_found':
        throw notFound(noChange);
      case 'superseded':
        throw new Refusal(409, 'change_superseded', { message: 'The definition has moved on.' });
      case 'not_open':
        throw new Refusal(409, 'change_not_open', {
          message: 'The change was decided before.',
          details: { decision: answer.decision },
        });
      case 'unavailable':
        throw notAvailable();
    }
  }
}
