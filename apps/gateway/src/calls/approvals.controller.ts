import { Controller, Inject, Req, Res } from '@nestjs/common';
import { BUS, type Bus } from '@uar/bus';
import { listApprovals, readApproval } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { KILL_SWITCH, type KillSwitch } from '../domain/settings/kill-switch.js';
import { sendJson } from '../http/answer.js';
import { ApprovalListQuery, DecisionBody, NoQuery, RunDecisionBody } from '../http/asks.js';
import { asked } from '../http/asked.js';
import { readBody, readQuery } from '../http/read.js';
import { callerOf, pathParameter } from '../http/request.js';
import { Serves } from '../http/route.js';
import { approvalRoutes as routes } from './approval-routes.js';
import { approvalOfRun } from './run-approval.js';
import { castVoteOf, noApproval, type AboutApproval } from './vote.js';

/** API.md 5. The approval-service asks Cedar who may view and decide each record. */
@Controller()
export class ApprovalsController {
  constructor(
    @Inject(BUS) private readonly bus: Bus,
    @Inject(KILL_SWITCH) private readonly killSwitch: KillSwitch,
  ) {}

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
    if (answer.kind === 'not_found') throw noApproval();
    sendJson(reply, answer.approval);
  }

  @Serves(routes.decideApproval)
  async decide(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { decision, reason } = readBody(request.body, DecisionBody);
    await this.vote(reply, this.about(request), { decision, ...(reason === undefined ? {} : { reason }) });
  }

  /** For simple UIs, which know the run they show and not what it waits for (API.md 4). */
  @Serves(routes.decideRunApproval)
  async decideOfRun(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { approved, approval_id: named } = readBody(request.body, RunDecisionBody);
    const caller = callerOf(request);
    const approval_id = await approvalOfRun(this.bus, { caller, runId: pathParameter(request, 'id') }, named);
    await this.vote(reply, { caller, approval_id }, { decision: approved ? 'approve' : 'reject' });
  }

  private async vote(
    reply: FastifyReply,
    about: AboutApproval,
    vote: z.output<typeof DecisionBody>,
  ): Promise<void> {
    sendJson(reply, await castVoteOf({ bus: this.bus, killSwitch: this.killSwitch }, about, vote));
  }

  private about(request: FastifyRequest): AboutApproval {
    return { caller: callerOf(request), approval_id: pathParameter(request, 'id') };
  }
}
