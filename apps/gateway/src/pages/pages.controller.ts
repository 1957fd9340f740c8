import { Controller, Inject, Req, Res } from '@nestjs/common';
import { BUS, type Bus } from '@uar/bus';
import { ApprovalId, listApprovals, principalId, readApproval, type ApprovalView } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { castVoteOf, noApproval, type AboutApproval } from '../calls/vote.js';
import { KILL_SWITCH, type KillSwitch } from '../domain/settings/kill-switch.js';
import { NoQuery } from '../http/asks.js';
import { asked } from '../http/asked.js';
import { EDGE, type Edge } from '../http/edge/edge.js';
import { sessionOf } from '../http/page-session.js';
import { readQuery } from '../http/read.js';
import { Refusal } from '../http/refusal.js';
import { callerOf, pathParameter } from '../http/request.js';
import { Serves } from '../http/route.js';
import { approvalPage } from './approval-page.js';
import { seeOther, sendPage, type Page } from './layout.js';
import { listPage } from './other-pages.js';
import { PageListQuery, VoteForm, pageRoutes as routes } from './page-routes.js';
import { readForm, refuseForeign } from './visit.js';

const pageSize = 100;

/** What people see who follow the link of a notification. The votes are those of API.md 5. */
@Controller()
export class PagesController {
  constructor(
    @Inject(BUS) private readonly bus: Bus,
    @Inject(KILL_SWITCH) private readonly killSwitch: KillSwitch,
    @Inject(EDGE) private readonly edge: Edge,
  ) {}

  @Serves(routes.showApprovals)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { cursor } = readQuery(request.query, PageListQuery);
    const { approvals, next_cursor } = await asked(this.bus, listApprovals, {
      ...{ caller: callerOf(request), status: 'pending', limit: pageSize },
      ...(cursor === undefined ? {} : { cursor }),
    });
    const body = listPage(approvals, next_cursor);
    sendPage(reply, { title: 'Approvals', place: 'list', body, ...visitorOf(request) });
  }

  @Serves(routes.showApproval)
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const approval = await this.find(aboutOf(request));
    sendPage(reply, pageOf(request, approval));
  }

  @Serves(routes.voteOnPage)
  async vote(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    refuseForeign(request, this.edge);
    const about = aboutOf(request);
    const { decision, reason } = readForm(request, VoteForm);
    const vote = { decision, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) };
    try {
      await castVoteOf({ bus: this.bus, killSwitch: this.killSwitch }, about, vote);
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      const approval = await this.find(about);
      const page = pageOf(request, approval, refusalText(thrown, approval, about));
      return sendPage(reply, page, { status: thrown.status });
    }
    seeOther(reply, about.approval_id);
  }

  private async find(about: AboutApproval): Promise<ApprovalView> {
    const answer = await asked(this.bus, readApproval, about);
    if (answer.kind === 'not_found') throw noApproval();
    return answer.approval;
  }
}

function aboutOf(request: FastifyRequest): AboutApproval {
  const id = ApprovalId.safeParse(pathParameter(request, 'id'));
  if (!id.success) throw noApproval();
  return { caller: callerOf(request), approval_id: id.data };
}

function pageOf(request: FastifyRequest, approval: ApprovalView, problem?: string): Page {
  const visitor = callerOf(request).principal;
  const body = approvalPage({ approval, visitor, ...(problem === undefined ? {} : { problem }) });
  return { title: `Run ${approval.tool}?`, place: 'item', body, ...visitorOf(request) };
}

function visitorOf(request: FastifyRequest): Required<Pick<Page, 'visitor'>> {
  const { principal } = callerOf(request);
  return { visitor: { principal, signedIn: sessionOf(request) !== undefined } };
}

function refusalText({ code, message }: Refusal, approval: ApprovalView, { caller }: AboutApproval): string {
  if (code === 'approval_not_pending')
    return 'Your vote came too late: it was not counted, as this is not pending any more.';
  if (code !== 'policy_denied') return `Your vote was not counted. ${message}`;
  return approval.requester === principalId(caller.principal)
    ? 'Your vote was not counted: you asked for this yourself, and somebody else has to decide it.'
    : 'Your vote was not counted: policy does not let you decide this.';
}
