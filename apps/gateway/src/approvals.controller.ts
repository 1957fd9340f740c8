import { Controller, Inject, Param, Res } from '@nestjs/common';
import { BUS, type Bus } from '@uar/bus';
import { castVote, listApprovals, readApproval, type Caller } from '@uar/contracts';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { sendJson } from './http/answer.js';
import { asked } from './http/asked.js';
import { Refusal, forbidden, notAvailable, notFound } from './http/refusal.js';
import { FromBody, FromCaller, FromQuery } from './http/request.js';
import { Serves } from './http/route.js';
import { ApprovalListQuery, DecisionBody, NoQuery, routes } from './http/routes.js';

const noApproval = 'There is no approval of this id for you.';

/** API.md 5. The approval-service asks Cedar who may view and decide each record. */
@Controller()
export class ApprovalsController {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  @Serves(routes.listApprovals)
  async list(
    @FromCaller() caller: Caller,
    @FromQuery(ApprovalListQuery) { status, cursor, limit }: z.output<typeof ApprovalListQuery>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const page = await asked(this.bus, listApprovals, {
      caller,
      limit,
      ...(status === undefined ? {} : { status }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    sendJson(reply, page);
  }

  @Serves(routes.readApproval)
  async read(
    @FromCaller() caller: Caller,
    @FromQuery(NoQuery) _query: unknown,
    @Param('approval_id') approvalId: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const answer = await asked(this.bus, readApproval, { caller, approval_id: approvalId });
    if (answer.kind === 'not_found') throw notFound(noApproval);
    sendJson(reply, answer.approval);
  }

  @Serves(routes.decideApproval)
  async decide(
    @FromCaller() caller: Caller,
    @FromQuery(NoQuery) _query: unknown,
    @FromBody(DecisionBody) { decision, reason }: z.output<typeof DecisionBody>,
    @Param('approval_id') approvalId: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const answer = await asked(this.bus, castVote, {
      caller,
      approval_id: approvalId,
      decision,
      ...(reason === undefined ? {} : { reason }),
    });
    switch (answer.kind) {
      case 'counted':
        return sendJson(reply, answer.approval);
      case 'not_found':
        throw notFound(noApproval);
      case 'forbidden':
        throw forbidden();
      case 'not_pending':
        throw new Refusal(409, 'approval_not_pending', 'The approval is not pending any more.', {
          details: { status: answer.status },
        });
      case 'unavailable':
        throw notAvailable();
    }
  }
}
