import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Item } from '@uar/contracts';
import { JsonText, withMember } from '@uar/json-text';
import { z } from 'zod';
import type { UpstreamNews } from '../../../domain/client/connected-clients.js';
import type { Front } from '../../../domain/front/front.js';
import type { Subscriptions } from '../items/subscriptions.js';
import type { SessionSeat } from './session-seat.js';
import type { ClientRequests } from './client-requests.js';

export interface ClientNewsParts {
  readonly requests: Pick<ClientRequests, 'tell'>;
  readonly seat: SessionSeat;
  readonly front: Pick<Front, 'shows' | 'shownUri'>;
  readonly subscriptions: Pick<Subscriptions, 'uriOf'>;
  /** May the client read the resource now? */
  mayRead(item: Item): Promise<boolean>;
  /** The client's own request that runs under this call id. */
  relatedOf(callId: string): RequestId | undefined;
}

const Message = z.looseObject({ level: z.unknown() });
const Updated = z.looseObject({ uri: z.string() });

/** Changes of lists come in bursts. */
const gatherMs = 250;

/** What upstreams notify the client of one session of, on the stream of the request that it came during. */
export class ClientNews {
  private readonly changed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

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
      case 'notifications/resources/updated':
        if (this.parts.front.shows(news.server)) void this.passUpdate(news, related);
        return;
      case 'notifications/resources/list_changed':
      case 'notifications/prompts/list_changed':
        if (this.parts.front.shows(news.server)) this.gather(news.method);
        return;
    }
  }

  close(): void {
    clearTimeout(this.timer);
  }

  /** Of a seat that others share only what came during a request of this very client. */
  private isOurs({ seat }: UpstreamNews, related: RequestId | undefined): boolean {
    if (seat === undefined) return false;
    return related !== undefined || (seat.id !== '' && seat.id === this.parts.seat.seat.id);
  }

  /** On a session of its own an upstream may tell of a part of what was subscribed to, and under another URI. */
  private async passUpdate(news: UpstreamNews, related: RequestId | undefined): Promise<void> {
    const { front, subscriptions, requests } = this.parts;
    const { server, method, params_json } = news;
    const update = Updated.safeParse(JSON.parse(params_json));
    if (!update.success) return;
    const { uri } = update.data;
    const known = subscriptions.uriOf(server, uri);
    if (known === undefined && !this.isOurs(news, related)) return;
    if (!(await this.parts.mayRead({ kind: 'resource', server, id: uri }))) return;
    const shown = known ?? front.shownUri(server, uri);
    requests.tell(method, new JsonText(withMember(params_json, 'uri', JSON.stringify(shown))), related);
  }

  private gather(method: string): void {
    this.changed.add(method);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      for (const each of this.changed) this.parts.requests.tell(each, undefined);
      this.changed.clear();
    }, gatherMs).unref();
  }

  private isLoud({ params_json }: UpstreamNews): boolean {
    const message = Message.safeParse(JSON.parse(params_json));
    return message.success && this.parts.seat.hears(message.data.level);
  }

  private pass({ method, params_json }: UpstreamNews, related: RequestId | undefined): void {
    this.parts.requests.tell(method, new JsonText(params_json), related);
  }
}
