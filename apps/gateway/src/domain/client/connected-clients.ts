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

/** How long an ask is waited for. */
export interface AskWait {
  readonly signal: AbortSignal;
  /** Aborts the signal. */
  abort(): void;
}

const gone: ClientAnswer = { kind: 'gone' };

/** Finds the client that an upstream means: by its own seat alone, so that nobody else is ever asked in its place. */
export class ConnectedClients {
  private readonly bySeat = new Map<string, ConnectedClient>();
  private readonly all = new Set<ConnectedClient>();
  private readonly open = new OpenAsks();

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
