import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EXPLANATIONS, type Explanations } from '../domain/access/explanations.js';
import { CALL_LOOKUP, type CallLookup, type Found } from '../domain/execute/call-lookup.js';
import { EXECUTION, type Executed, type Execution } from '../domain/execute/execution.js';
import { callViewText, statusOf } from '../domain/view/call-view.js';
import { sendText } from '../http/answer.js';
import { NoQuery } from '../http/asks.js';
import { readExecuteBody, readQuery } from '../http/read.js';
import { Refusal, notAvailable, notFound } from '../http/refusal.js';
import { callerOf, idempotencyKeyOf, onGone, pathParameter, prefersAsync } from '../http/request.js';
import { Serves } from '../http/route.js';
import { callRoutes as routes } from './call-routes.js';

type ExecutedCall = Extract<Executed, { kind: 'call' }>;

/** Calls over HTTP: proposed, read, cancelled (API.md 2). */
@Controller()
export class CallsController {
  constructor(
    @Inject(EXECUTION) private readonly execution: Execution,
    @Inject(CALL_LOOKUP) private readonly calls: CallLookup,
    @Inject(EXPLANATIONS) private readonly explanations: Explanations,
  ) {}

  @Serves(routes.executeTool)
  async execute(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const caller = callerOf(request);
    const toolName = pathParameter(request, 'name');
    const idempotencyKey = idempotencyKeyOf(request);
    const executed = await this.execution.execute({
      call: { caller, toolName, ...readExecuteBody(request.body) },
      respondAsync: prefersAsync(request),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      onGone: (listener) => onGone(reply, listener),
    });
    await this.answer(request, reply, executed);
  }

  @Serves(routes.readCall)
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    send(reply, await this.calls.read(callerOf(request), pathParameter(request, 'call_id')));
  }

  @Serves(routes.cancelCall)
  async cancel(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    send(reply, await this.calls.cancel(callerOf(request), pathParameter(request, 'call_id')));
  }

  private async answer(request: FastifyRequest, reply: FastifyReply, executed: Executed): Promise<void> {
    switch (executed.kind) {
      case 'unavailable':
        throw notAvailable();
      case 'key_of_other_request':
        throw new Refusal(422, 'idempotency_key_reused', {
          message: 'This Idempotency-Key belongs to another request.',
        });
      case 'key_in_use':
        throw new Refusal(409, 'idempotency_key_in_use', {
          message: 'The first call of this key has not ended.',
          details: { call_id: executed.callId },
        });
      case 'stored': {
        const { status, callId, viewJson } = executed;
        return sendText(reply, viewJson, { status, headers: status === 202 ? whereTo(request, callId) : {} });
      }
      case 'call':
        return this.answerCall(request, reply, executed);
    }
  }

  private async answerCall(
    request: FastifyRequest,
    reply: FastifyReply,
    { state, receipt }: ExecutedCall,
  ): Promise<void> {
    const explained = state.decision !== null && (await this.explanations.mayRead(callerOf(request)));
    const headers =
      state.kind === 'pending' ? whereTo(request, state.callId) : retryAfter(state.retryAfterMs);
    sendText(reply, callViewText(state, { explained, receipt }), { status: statusOf(state), headers });
  }
}

function send(reply: FastifyReply, found: Found): void {
  switch (found.kind) {
    case 'found':
      return sendText(reply, found.viewJson, { status: found.isPending ? 202 : 200 });
    case 'not_found':
      throw notFound('There is no call of this id for you.');
    case 'unavailable':
      throw notAvailable();
  }
}

function whereTo(request: FastifyRequest, callId: string): Record<string, string> {
  const location = `/api/uar/calls/${callId}`;
  return prefersAsync(request) ? { location, 'preference-applied': 'respond-async' } : { location };
}

function retryAfter(ms: number | undefined): Record<string, string> {
  return ms === undefined ? {} : { 'retry-after': String(Math.ceil(ms / 1000)) };
}
