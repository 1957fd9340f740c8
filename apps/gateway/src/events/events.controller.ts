import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EVENT_STREAMS, type EventStreams, type StreamRequest } from '../domain/event/streams.js';
import { callerOf, pathParameter } from '../http/request.js';
import { Serves } from '../http/route.js';
import { eventAsk, streamRefusal } from './event-ask.js';
import { eventRoutes as routes } from './event-routes.js';
import { SseOutlet } from './sse-outlet.js';
import { textsOf } from './texts.js';

/** Live events of runs (API.md 4). */
@Controller()
export class EventsController {
  constructor(@Inject(EVENT_STREAMS) private readonly streams: EventStreams) {}

  @Serves(routes.runEvents)
  ofRun(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.serve(request, reply, { runId: pathParameter(request, 'id') });
  }

  @Serves(routes.events)
  ofTenant(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.serve(request, reply, {});
  }

  private async serve(
    request: FastifyRequest,
    reply: FastifyReply,
    what: Pick<StreamRequest, 'runId'>,
  ): Promise<void> {
    const { profile, ...from } = eventAsk(request.headers, request.query);
    const answer = await this.streams.open({ caller: callerOf(request), ...what, ...from });
    switch (answer.kind) {
      case 'admitted':
        reply.hijack();
        return answer.begin(new SseOutlet(reply.raw, textsOf(profile, 'seq')));
      case 'complete':
        // Tells an EventSource not to come back.
        return void reply.code(204).send();
      case 'not_found':
      case 'limited':
      case 'unavailable':
        throw streamRefusal(answer);
    }
  }
}
