import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { ApprovalView, InstanceId, LogLevel, Seat } from '@uar/contracts';
import type {
  ClientAnswer,
  ClientAsk,
  ConnectedClient,
  ConnectedClients,
  UpstreamNews,
} from '../../../domain/client/connected-clients.js';
import { ClientAsks } from './client-asks.js';
import { ClientNews, type ClientNewsParts } from './client-news.js';
import { ClientRequests } from './client-requests.js';
import { Elicitations } from './elicitations.js';
import type { SessionRequests } from '../calls/session-requests.js';
import type { Greeting } from '../revisions.js';
import { SessionSeat } from './session-seat.js';
import type { SessionTransport } from '../session/session-transport.js';

export interface SessionClientParts {
  readonly clients: ConnectedClients;
  readonly gateway: InstanceId;
  /** Where people decide an approval. */
  pageUrl(approvalId: string): string;
}

/** The client of one session, as gateway and upstreams speak to it of their own accord. */
export class SessionClient implements ConnectedClient {
  readonly tenant: string;
  readonly owner: string;
  /** Of it, for the transport to hand answers to. */
  readonly requests: ClientRequests;
  private readonly own: SessionSeat;
  private readonly asks: ClientAsks;
  private readonly news: ClientNews;
  private readonly elicitations: Elicitations;
  private leave: () => void = () => undefined;

  constructor(
    { tenant, owner }: Pick<ConnectedClient, 'tenant' | 'owner'>,
    private readonly parts: SessionClientParts,
    session: {
      readonly transport: Pick<SessionTransport, 'send' | 'isWaiting' | 'hasStanding'>;
      relatedOf: SessionRequests['find'];
    } & Pick<ClientNewsParts, 'front' | 'subscriptions' | 'mayRead'>,
  ) {
    const { transport, relatedOf, front, subscriptions, mayRead } = session;
    this.tenant = tenant;
    this.owner = owner;
    this.own = new SessionSeat(parts.gateway);
    this.requests = new ClientRequests({
      send: (message, options) => transport.send(message, options),
      hasStream: (request) => transport.isWaiting(request),
    });
    const speaking = { requests: this.requests, seat: this.own, relatedOf };
    this.asks = new ClientAsks({ ...speaking, hasStanding: () => transport.hasStanding });
    this.news = new ClientNews({ ...speaking, front, subscriptions, mayRead });
    this.elicitations = new Elicitations({ requests: this.requests, pageUrl: parts.pageUrl });
  }

  get seatId(): string {
    return this.own.seat.id;
  }

  /** For what the session sends on. */
  get seat(): Seat {
    return this.own.seat;
  }

  /** From now on upstreams find it. */
  greet(greeting: Greeting): void {
    this.elicitations.greet(greeting.params);
    this.own.greet(greeting);
    this.leave = this.parts.clients.join(this);
  }

  setLevel(level: LogLevel): void {
    this.own.setLevel(level);
  }

  ask(ask: ClientAsk, signal: AbortSignal): Promise<ClientAnswer> {
    return this.asks.ask(ask, signal);
  }

  hear(news: UpstreamNews): void {
    this.news.hear(news);
  }

  waits(approval: ApprovalView, request: RequestId): void {
    this.elicitations.ask(approval, request);
  }

  settled(approvalId: string): void {
    this.elicitations.complete(approvalId);
  }

  /** The call of this approval has ended. */
  forget(approvalId: string): void {
    this.elicitations.forget(approvalId);
  }

  /** Its own request is answered, or it has given it up. */
  over(request: RequestId): void {
    this.asks.over(request);
  }

  close(): void {
    this.leave();
    this.asks.close();
    this.news.close();
  }
}
