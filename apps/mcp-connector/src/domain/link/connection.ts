import type { BodyOf, InstanceId, upstreamNotified } from '@uar/contracts';
import type { ClientAnswer, ClientRequest } from '../client-side.js';
import type { ItemLists } from '../items/item-lists.js';
import type { ToolList } from '../tools/tool-list.js';
import type { Upstream } from '../upstream.js';
import type { ConnectPorts, ConnectTarget } from './connect.js';

/** The clients behind the gateways. */
export interface Clients {
  /** Settles as soon as the signal aborts, with whatever. Never rejects. */
  ask(
    seat: { readonly id: string; readonly gateway: InstanceId },
    request: ClientRequest,
    signal: AbortSignal,
  ): Promise<ClientAnswer>;
  notify(notice: BodyOf<typeof upstreamNotified>): void;
}

export interface LinkPorts extends ConnectPorts {
  readonly random: () => number;
  readonly clients: Clients;
  /** A call found no session for its seat; no report tells of those. */
  readonly onSeatFailed: (server: ConnectTarget, message: string) => void;
  /** The report changed. */
  readonly onChange: () => void;
  /** A bug of ours while connecting; the server counts as failed. */
  readonly onFault: (error: unknown) => void;
}

export interface Connection {
  readonly upstream: Upstream;
  readonly list: ToolList;
  readonly items: ItemLists;
}

/** A connection that follows what its upstream lists. */
export interface Live extends Connection {
  list: ToolList;
}
