import { hash } from 'node:crypto';
import { Controller, Inject, Param, Req, Res } from '@nestjs/common';
import type { Caller } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { EXPLANATIONS, type Explanations } from './domain/access/explanations.js';
import {
  EFFECTIVE_CATALOG,
  type EffectiveCatalog,
  type EffectiveList,
} from './domain/catalog/effective-catalog.js';
import { EXECUTION, type Executed, type Execution } from './domain/execute/execution.js';
import { RUNS, type Runs } from './domain/run/runs.js';
import { callViewText, statusOf } from './domain/view/call-view.js';
import { toolListText } from './domain/view/tool-list.js';
import { toolViewText } from './domain/view/tool-view.js';
import { sendText } from './http/answer.js';
import { readExecuteBody, readQuery } from './http/read.js';
import { Refusal, forbidden, notAvailable, notFound } from './http/refusal.js';
import { FromCaller, FromIdempotencyKey, FromQuery, onGone, prefersAsync } from './http/request.js';
import { Serves } from './http/route.js';
import { NoQuery, ToolListQuery, routes } from './http/routes.js';

@Controller()
export class ToolsController {
  constructor(
    @Inject(EFFECTIVE_CATALOG) private readonly catalog: EffectiveCatalog,
    @Inject(EXECUTION) private readonly execution: Execution,
    @Inject(EXPLANATIONS) private readonly explanations: Explanations,
    @Inject(RUNS) private readonly runs: Runs,
  ) {}

  @Serves(routes.listTools)
  async list(
    @FromCaller() caller: Caller,
    @FromQuery(ToolListQuery) query: z.output<typeof ToolListQuery>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const list = await this.listFor(this.inRun(caller, query.run_id));
    const etag = `"${hash('sha256', JSON.stringify([list.digest, query]), 'base64url').slice(0, 27)}"`;
    const headers = { etag, 'cache-control': 'private, no-cache' };
    if (request.headers['if-none-match'] === etag) void reply.code(304).headers(headers).send();
    else sendText(reply, toolListText(list, query), { headers });
  }

  @Serves(routes.readTool)
  async read(
    @FromCaller() caller: Caller,
    @FromQuery(NoQuery) _query: unknown,
    @Param('name') name: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const found = (await this.listFor(caller)).byName.get(name);
    if (found === undefined) throw notFound('There is no tool of this name for you.');
    sendText(reply, toolViewText(found));
  }

  @Serves(routes.executeTool)
  async execute(
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() idempotencyKey: string | undefined,
    @Param('name') toolName: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    readQuery(request.query, NoQuery);
    const executed = await this.execution.execute({
      call: { caller, toolName, ...readExecuteBody(request.body) },
      respondAsync: prefersAsync(request),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      onGone: (listener) => onGone(reply, listener),
    });
    await this.answer(caller, executed, prefersAsync(request), reply);
  }

  private async answer(
    caller: Caller,
    executed: Executed,
    preferred: boolean,
    reply: FastifyReply,
  ): Promise<void> {
    switch (executed.kind) {
      case 'unavailable':
        throw notAvailable();
      case 'key_of_other_request':
        throw new Refusal(422, 'idempotency_key_reused', 'This Idempotency-Key belongs to another request.');
      case 'key_in_use':
        throw new Refusal(409, 'idempotency_key_in_use', 'The first call of this key has not ended.', {
          details: { call_id: executed.callId },
        });
      case 'stored':
        return sendText(reply, executed.viewJson, {
          status: executed.status,
          headers: executed.status === 202 ? asyncHeaders(executed.callId, preferred) : {},
        });
      case 'call': {
        const { state, receipt } = executed;
        const explained = state.decision !== null && (await this.explanations.mayRead(caller));
        const pending = state.kind === 'pending' ? asyncHeaders(state.callId, preferred) : {};
        const retryMs = state.kind === 'ended' ? state.retryAfterMs : undefined;
        const retry = retryMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryMs / 1000)) };
        return sendText(reply, callViewText(state, { explained, receipt }), {
          status: statusOf(state),
          headers: { ...pending, ...retry },
        });
      }
    }
  }

  private inRun(caller: Caller, runId: string | undefined): Caller {
    if (runId === undefined) return caller;
    const own = this.runs.own(caller.principal, runId);
    if (own === undefined) throw forbidden();
    return { ...caller, run_id: own };
  }

  private async listFor(caller: Caller): Promise<EffectiveList> {
    const list = await this.catalog.list(caller);
    if (list.kind === 'unavailable') throw notAvailable();
    return list;
  }
}

function asyncHeaders(callId: string, preferred: boolean): Record<string, string> {
  const location = `/api/uar/calls/${callId}`;
  return preferred ? { location, 'preference-applied': 'respond-async' } : { location };
}
