import { Controller, Inject, Req, Res } from '@nestjs/common';
import { BUS, type Bus } from '@uar/bus';
import { castVote, listApprovals, readApproval, type Caller } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from './http/answer.js';
import { ApprovalListQuery, DecisionBody, NoQuery } from './http/asks.js';
import { asked } from './http/asked.js';
import { readBody, readQuery } from './http/read.js';
import { Refusal, forbidden, notAvailable, notFound } from './http/refusal.js';
import { callerOf, pathParameter } from './http/request.js';
import { Serves } from './http/route.js';
import { routes } from './http/routes.js';

const noApproval = 'There is no approval of this id for you.';

/** API.md 5. The approval-service asks Cedar who may view and decide each record. */
@Controller()
export class ApprovalsController {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  @Serves(routes.listApprovals)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { status, cursor, limit } = readQuery(request.query, ApprovalListQuery);
    const page = await asked(this.bus, listApprovals, {
      caller: callerOf(request),
      limit,
      ...(status === undefined ? {} : { status }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    sendJson(reply, page);
  }

  @Serves(routes.readApproval)
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const answer = await asked(this.bus, readApproval, this.about(request));
    if (answer.kind === 'not_found') throw notFound(noApproval);
    sendJson(reply, answer.approval);
  }

  @Serves(routes.decideApproval)
  async decide(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { decision, reason } = readBody(request.body, DecisionBody);
    const vote = { ...this.about(request), decision, ...(reason === undefined ? {} : { reason }) };
    const answer = await asked(this.bus, castVote, vote);
    switch (answer.kind) {
      case 'counted':
        return sendJson(reply, answer.approval);
      case 'not_found':
        throw notFound(noApproval);
      case 'forbidden':
        throw forbidden();
      case 'not_pending':
        throw new Refusal(409, 'approval_not_pending', {
          message: 'The approval is not pending any more.',
          details: { status: answer.status },
        });
      case 'unavailable':
        throw notAvailable();
    }
  }

  private about(request: FastifyRequest): { caller: Caller; approval_id: string } {
    return { caller: callerOf(request), approval_id: pathParameter(request, 'id') };
  }
}
