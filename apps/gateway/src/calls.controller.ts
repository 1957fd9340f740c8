import { Controller, Inject, Param, Res } from '@nestjs/common';
import type { Caller } from '@uar/contracts';
import type { FastifyReply } from 'fastify';
import { CALL_LOOKUP, type CallLookup, type Found } from './domain/execute/call-lookup.js';
import { sendText } from './http/answer.js';
import { notAvailable, notFound } from './http/refusal.js';
import { FromCaller, FromQuery } from './http/request.js';
import { Serves } from './http/route.js';
import { NoQuery, routes } from './http/routes.js';

@Controller()
export class CallsController {
  constructor(@Inject(CALL_LOOKUP) private readonly calls: CallLookup) {}

  @Serves(routes.readCall)
  async read(
    @FromCaller() caller: Caller,
    @FromQuery(NoQuery) _query: unknown,
    @Param('call_id') callId: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    send(reply, await this.calls.read(caller, callId));
  }

  @Serves(routes.cancelCall)
  async cancel(
    @FromCaller() caller: Caller,
    @FromQuery(NoQuery) _query: unknown,
    @Param('call_id') callId: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    send(reply, await this.calls.cancel(caller, callId));
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
