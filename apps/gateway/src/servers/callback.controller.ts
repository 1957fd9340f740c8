import { Controller, Inject, Req, Res } from '@nestjs/common';
import { BUS, type Bus } from '@uar/bus';
import { finishConnection, type AnswerOf } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONNECTION_LIMITS, type ConnectionLimits } from '../domain/limit/connection-limits.js';
import { EDGE, type Edge } from '../http/edge/edge.js';
import { methodNotAllowed, rateLimited, type Refusal } from '../http/refusal.js';
import { Serves } from '../http/route.js';
import { sendPage } from '../pages/layout.js';
import { messagePage } from '../pages/other-pages.js';
import { CallbackQuery, connectionRoutes as routes } from './connection-routes.js';

interface End {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where a browser ends that was sent to an authorization server: one page for each way that can go. */
@Controller()
export class CallbackController {
  constructor(
    @Inject(BUS) private readonly bus: Bus,
    @Inject(EDGE) private readonly edge: Edge,
    @Inject(CONNECTION_LIMITS) private readonly limits: ConnectionLimits,
  ) {}

  @Serves(routes.authorizationCallback)
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    // Fastify serves HEAD by GET: whoever only looks ahead must not use up what is good once.
    if (request.method !== 'GET') throw methodNotAllowed(['GET']);
    const { title, text, ...rest } = await this.endOf(request);
    sendPage(reply, { title, place: 'item', body: messagePage(title, text) }, rest);
  }

  private async endOf(request: FastifyRequest): Promise<End> {
    const parsed = CallbackQuery.safeParse(request.query);
    if (!parsed.success)
      return { status: 400, title: 'Not understood', text: 'This is no answer to an authorization of ours.' };
    const retryAfterMs = this.limits.comeBack(this.edge.clientIp.networkOf(request));
    if (retryAfterMs > 0) return tooMany(rateLimited(retryAfterMs));
    const reply = await this.bus.ask(finishConnection, parsed.data);
    if (reply.kind === 'fault')
      return { status: 503, title: 'Not available now', text: `Nothing was connected. ${again}` };
    return pageOf(reply.value);
  }
}

function tooMany({ status, headers }: Refusal): End {
  const text = 'Too many come back at the same time. Nothing was used up: load this page again in a moment.';
  return { status, title: 'Too many', text, headers };
}

const again = 'Begin the connection again.';

function pageOf(end: AnswerOf<typeof finishConnection>): End {
  switch (end.kind) {
    case 'connected':
      return {
        status: 200,
        title: 'Connected',
        text: `${end.server} is connected. You can close this page.`,
      };
    case 'used':
      return { status: 410, title: 'Already used', text: `This link was good once. ${again}` };
    case 'expired':
      return { status: 410, title: 'Too late', text: `This authorization has expired. ${again}` };
    case 'unknown':
      return {
        status: 400,
        title: 'Not known',
        text: `No authorization of ours is waiting for this. ${again}`,
      };
    case 'authorization_needed':
      return { status: 403, title: 'Not connected', text: `${sentence(end.message)} ${again}` };
    case 'refused':
      return { status: 502, title: 'Not connected', text: sentence(end.message) };
    case 'unreachable':
      return { status: 502, title: 'Not connected', text: `${sentence(end.message)} ${again}` };
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
