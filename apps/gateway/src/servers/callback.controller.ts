import { Controller, Inject, Req, Res } from '@nestjs/common';
import { BUS, type Bus } from '@uar/bus';
import { finishConnection, type AnswerOf } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Serves } from '../http/route.js';
import { sendPage } from '../pages/layout.js';
import { messagePage } from '../pages/other-pages.js';
import { CallbackQuery, connectionRoutes as routes } from './connection-routes.js';

interface End {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}

/** Where a browser ends that was sent to an authorization server: one page for each way that can go. */
@Controller()
export class CallbackController {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  @Serves(routes.authorizationCallback)
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { status, title, text } = await this.endOf(request.query);
    sendPage(reply, { title, place: 'item', body: messagePage(title, text) }, { status });
  }

  private async endOf(query: unknown): Promise<End> {
    const parsed = CallbackQuery.safeParse(query);
    if (!parsed.success)
      return { status: 400, title: 'Not understood', text: 'This is no answer to an authorization of ours.' };
    const reply = await this.bus.ask(finishConnection, parsed.data);
    if (reply.kind === 'fault')
      return { status: 503, title: 'Not available now', text: `Nothing was connected. ${again}` };
    return pageOf(reply.value);
  }
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
