import { Controller, Inject, Req, Res } from '@nestjs/common';
import { RunBody, RunPatch, Scope } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AGENT_BOOK, type AgentBook } from '../domain/agent/agents.js';
import { RUN_DESK, type RunAnswer, type RunDesk } from '../domain/run/run-desk.js';
import { sendJson } from '../http/answer.js';
import { NoQuery } from '../http/asks.js';
import { readBody, readQuery } from '../http/read.js';
import { Refusal, notAvailable, notFound } from '../http/refusal.js';
import { callerOf, pathParameter } from '../http/request.js';
import { Serves } from '../http/route.js';
import { runRoutes as routes } from './run-routes.js';
import { refuseUnwritten } from './written.js';

/** Runs (API.md 4), and the scope around all of them. */
@Controller()
export class RunsController {
  constructor(
    @Inject(RUN_DESK) private readonly desk: RunDesk,
    @Inject(AGENT_BOOK) private readonly book: AgentBook,
  ) {}

  @Serves(routes.createRun)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    send(reply, await this.desk.open(callerOf(request), readBody(request.body, RunBody)), 201);
  }

  @Serves(routes.readRun)
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    send(reply, await this.desk.read(callerOf(request), pathParameter(request, 'id')));
  }

  @Serves(routes.narrowRun)
  async narrow(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const patch = readBody(request.body, RunPatch);
    send(reply, await this.desk.narrow(callerOf(request), pathParameter(request, 'id'), patch));
  }

  @Serves(routes.cancelRun)
  async cancel(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    send(reply, await this.desk.cancel(callerOf(request), pathParameter(request, 'id')));
  }

  @Serves(routes.readRunPolicy)
  readPolicy(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    readQuery(request.query, NoQuery);
    const policy = this.book.policy(callerOf(request).principal.tenant);
    if (!this.book.ready || policy?.kind === 'unreadable') throw notAvailable();
    sendJson(reply, policy?.value ?? {});
  }

  @Serves(routes.putRunPolicy)
  async putPolicy(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const scope = readBody(request.body, Scope);
    refuseUnwritten(await this.book.putPolicy(callerOf(request).principal, scope));
    sendJson(reply, scope);
  }
}

function send(reply: FastifyReply, answer: RunAnswer, status = 200): void {
  switch (answer.kind) {
    case 'run':
      return sendJson(reply, answer.view, { status });
    case 'not_found':
      throw notFound('There is no run of this id for you.');
    case 'not_its_agent':
      throw new Refusal(403, 'run_denied', {
        message: `No agent ${answer.agentId} is registered that you may open runs for. PUT /api/uar/agents/{id} registers it; then its own token opens runs for it, or a token of its owner that names no agent.`,
        details: { agent_id: answer.agentId },
      });
    case 'not_active':
      throw new Refusal(409, 'run_not_active', {
        message: 'The run has ended.',
        details: { status: answer.status },
      });
    case 'widened':
      throw new Refusal(422, 'run_widened', {
        message: `A run can only be narrowed; ${answer.member} would give more than it has.`,
        details: { member: answer.member },
      });
    case 'unavailable':
      throw notAvailable();
  }
}
