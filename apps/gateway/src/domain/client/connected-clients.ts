import type { AnswerOf, AskOf, BodyOf, InstanceId, askClient, upstreamNotified } from '@uar/contracts';

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

const gone: ClientAnswer = { kind: 'gone' };

/** Finds the client that an upstream means: by its own seat alone, so that nobody else is ever asked in its place. */
export class ConnectedClients {
  private readonly bySeat = new Map<string, ConnectedClient>();
  private readonly all = new Set<ConnectedClient>();

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

  async ask(ask: ClientAsk, signal: AbortSignal): Promise<ClientAnswer> {
    return (await this.bySeat.get(ask.seat_id)?.ask(ask, signal)) ?? gone;
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

/** Injection token of the ConnectedClients. */
export const CONNECTED_CLIENTS = Symbol('uar.gateway.connected-clients');
