import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { JsonText } from '@uar/json-text';
import { z } from 'zod';
import type { UpstreamNews } from '../../../domain/client/connected-clients.js';
import type { SessionSeat } from '../session/session-seat.js';
import type { ClientRequests } from './client-requests.js';

export interface ClientNewsParts {
  readonly requests: Pick<ClientRequests, 'tell'>;
  readonly seat: SessionSeat;
  /** The client's own request that runs under this call id. */
  relatedOf(callId: string): RequestId | undefined;
}

const Message = z.looseObject({ level: z.unknown() });

/** What upstreams notify the client of one session of, on the stream of the request that it came during. */
export class ClientNews {
  constructor(private readonly parts: ClientNewsParts) {}

  hear(news: UpstreamNews): void {
    const related = news.call_id === undefined ? undefined : this.parts.relatedOf(news.call_id);
    switch (news.method) {
      case 'notifications/message':
        if (this.isOurs(news, related) && this.isLoud(news)) this.pass(news, related);
        return;
      case 'notifications/elicitation/complete':
        if (this.isOurs(news, related)) this.pass(news, related);
        return;
    }
  }

  /** Of a seat that others share only what came during a request of this very client. */
  private isOurs({ seat }: UpstreamNews, related: RequestId | undefined): boolean {
    if (seat === undefined) return false;
    return related !== undefined || (seat.id !== '' && seat.id === this.parts.seat.seat.id);
  }

  private isLoud({ params_json }: UpstreamNews): boolean {
    const message = Message.safeParse(JSON.parse(params_json));
    return message.success && this.parts.seat.hears(message.data.level);
  }

  private pass({ method, params_json }: UpstreamNews, related: RequestId | undefined): void {
    this.parts.requests.tell(method, new JsonText(params_json), related);
  }
}
