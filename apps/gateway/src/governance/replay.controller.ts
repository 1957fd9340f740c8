import { Controller, Inject, Req, Res } from '@nestjs/common';
import { BUS, type Bus } from '@uar/bus';
import {
  ReplayBody,
  ShadowBody,
  readShadow,
  replayDecisions,
  writeShadow,
  type AnswerOf,
} from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from '../http/answer.js';
import { asked } from '../http/asked.js';
import { NoQuery } from '../http/asks.js';
import { trialRoutes as routes } from './trial-routes.js';
import { policyRefusal } from './policy-refusal.js';
import { readBody, readQuery } from '../http/read.js';
import { Refusal, notFound } from '../http/refusal.js';
import { callerOf } from '../http/request.js';
import { Serves } from '../http/route.js';

type Answer = AnswerOf<typeof replayDecisions> | AnswerOf<typeof writeShadow> | AnswerOf<typeof readShadow>;

/** Candidates tried on calls of before and of now (API.md 6). */
@Controller()
export class ReplayController {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  @Serves(routes.replayDecisions)
  async replay(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { policies, since, limit, cursor } = readBody(request.body, ReplayBody);
    const answer = await asked(this.bus, replayDecisions, {
      ...{ tenant: callerOf(request).principal.tenant, policies, limit },
      ...(since === undefined ? {} : { since: Date.parse(since) }),
      ...(cursor === undefined ? {} : { before: Number(cursor) }),
    });
    if (answer.kind !== 'replayed') throw refusalOf(answer);
    sendJson(reply, answer.view);
  }

  @Serves(routes.readShadow)
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const answer = await asked(this.bus, readShadow, { tenant: callerOf(request).principal.tenant });
    if (answer.kind !== 'found') throw refusalOf(answer);
    sendJson(reply, answer.shadow);
  }

  @Serves(routes.putShadow)
  async put(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { policies } = readBody(request.body, ShadowBody);
    const answer = await asked(this.bus, writeShadow, { caller: callerOf(request), policies });
    if (answer.kind !== 'written') throw refusalOf(answer);
    sendJson(reply, answer.shadow);
  }

  @Serves(routes.deleteShadow)
  async remove(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const answer = await asked(this.bus, writeShadow, { caller: callerOf(request) });
    if (answer.kind !== 'removed') throw refusalOf(answer);
    sendJson(reply, { deleted: true });
  }
}

/** `written` and `removed` are what somebody else did at the same moment. */
function refusalOf(answer: Exclude<Answer, { kind: 'replayed' | 'found' }>): Refusal {
  switch (answer.kind) {
    case 'invalid':
    case 'busy':
    case 'off':
    case 'unavailable':
      return policyRefusal(answer);
    case 'not_found':
      return notFound('There is no shadow.');
    case 'conflict':
    case 'written':
    case 'removed':
      return new Refusal(409, 'conflict', { message: 'The shadow was written by somebody else just now.' });
  }
}
