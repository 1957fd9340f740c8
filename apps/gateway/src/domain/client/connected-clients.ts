import type {
  AnswerOf,
  AskOf,
  BodyOf,
  InstanceId,
  askClient,
  upstreamNotified,
  withdrawAsk,
} from '@uar/contracts';
import { OpenAsks } from '../open-asks.js';
import { gone } from './client-answer.js';

export type ClientAsk = AskOf<typeof askClient>;
export type ClientAnswer = AnswerOf<typeof askClient>;
export type UpstreamNews = BodyOf<typeof upstreamNotified>;

/** A client that is connected here, as upstreams may speak to it. */
export interface ConnectedClient {
  readonly tenant: string;
  /** Cedar id of its principal. */
  readonly owner: string;
  /** Empty where it shares the seat of its principal: then nobody asks it for anything. */
  readonly seatId: string;
  /** Ends with `gone` at the latest when `signal` aborts. */
  ask(ask: ClientAsk, signal: AbortSignal): Promise<ClientAnswer>;
  /** What is none of its business it leaves. */
  hear(news: UpstreamNews): void;
}

/** Who hears what upstreams tell during one call. */
export interface Overhearing extends Pick<ConnectedClient, 'tenant' | 'owner'> {
  hear(news: UpstreamNews): void;
}

/** How long an ask is waited for. */
export interface AskWait {
  readonly signal: AbortSignal;
  /** Aborts the signal. */
  abort(): void;
}

/** Finds the client that an upstream means: by its own seat alone, so that nobody else is ever asked in its place. */
export class ConnectedClients {
  private readonly bySeat = new Map<string, ConnectedClient>();
  private readonly all = new Set<ConnectedClient>();
  private readonly open = new OpenAsks();
  private readonly onListChanges = new Set<(news: UpstreamNews) => void>();
  private readonly byCall = new Map<string, Set<Overhearing>>();

  constructor(private readonly gateway: InstanceId) {}

  /** The returned function ends it. */
  join(client: ConnectedClient): () => void {
    this.all.add(client);
    if (client.seatId !== '') this.bySeat.set(client.seatId, client);
    return () => {
      this.all.delete(client);
      if (this.bySeat.get(client.seatId) === client) this.bySeat.delete(client.seatId);
    };
  }

  /** Of a call whose client has no session: its upstream's seat may be another gateway's. The returned function ends it. */
  overhear(callId: string, one: Overhearing): () => void {
    const listening = this.byCall.get(callId) ?? new Set();
    this.byCall.set(callId, listening.add(one));
    return () => {
      listening.delete(one);
      if (listening.size === 0 && this.byCall.get(callId) === listening) this.byCall.delete(callId);
    };
  }

  /** News of lists, whosever session they came over. The returned function ends it. */
  onListChange(listener: (news: UpstreamNews) => void): () => void {
    this.onListChanges.add(listener);
    return () => this.onListChanges.delete(listener);
  }

  async ask(ask: ClientAsk, wait: AskWait): Promise<ClientAnswer> {
    const client = this.bySeat.get(ask.seat_id);
    if (client === undefined) return gone;
    const close = this.open.add(nameOf(ask), () => wait.abort());
    return client.ask(ask, wait.signal).finally(close);
  }

  withdraw(ask: AskOf<typeof withdrawAsk>): AnswerOf<typeof withdrawAsk> {
    return this.open.leave(nameOf(ask));
  }

  tell(news: UpstreamNews): void {
    for (const client of this.meant(news)) if (client.tenant === news.tenant) client.hear(news);
    if (news.method.endsWith('/list_changed')) for (const listener of this.onListChanges) listener(news);
    const { call_id, seat, tenant } = news;
    for (const one of this.byCall.get(call_id ?? '') ?? [])
      if (one.tenant === tenant && one.owner === seat?.principal) one.hear(news);
  }

  private meant({ seat }: UpstreamNews): Iterable<ConnectedClient> {
    if (seat === undefined) return this.all;
    if (seat.gateway !== this.gateway) return [];
    const client = this.bySeat.get(seat.id);
    const holders = seat.id === '' ? [...this.all].filter(({ seatId }) => seatId === '') : [client];
    return holders.filter((each) => each?.owner === seat.principal).filter((each) => each !== undefined);
  }
}

/** Known to nobody but the gateway of the seat and the connector that asks in it. */
function nameOf({ seat_id, ask_id }: AskOf<typeof withdrawAsk>): string {
  return `${seat_id} ${ask_id}`;
}

/** Injection token of the ConnectedClients. */
export const CONNECTED_CLIENTS = Symbol('uar.gateway.connected-clients');
