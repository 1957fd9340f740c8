/** The headers of the envelope, without their `uar-` prefix. The body of every message is plain JSON. */
export interface WireHeaders {
  /** Epoch milliseconds after which nobody waits. */
  readonly deadline?: string | undefined;
  readonly trace?: string | undefined;
  readonly fault?: string | undefined;
  readonly faultId?: string | undefined;
  /** Of an ask that does not fit: the member that does not. */
  readonly faultAt?: string | undefined;
  /** `<i>/<n>`, from 1: a piece of an answer. */
  readonly part?: string | undefined;
}

export interface Outgoing {
  readonly subject: string;
  readonly body: Buffer;
  readonly headers?: WireHeaders | undefined;
  readonly reply?: string | undefined;
}

export interface Incoming {
  readonly body: Uint8Array;
  readonly headers?: WireHeaders | undefined;
  readonly reply?: string | undefined;
}

export type Arrival = Incoming | 'no_responders';

export interface Subscriber {
  readonly subject: string;
  /** Members of one queue share the messages of the subject. */
  readonly queue?: string | undefined;
  onMessage(message: Incoming): void;
}

export interface WireSubscription {
  /** No further message. */
  end(): void;
  /** No further message is routed here; those already on their way still arrive before it resolves. */
  drain(): Promise<void>;
}

export type WireState = 'connected' | 'disconnected' | 'closed';

export interface Refusal {
  readonly operation: 'publish' | 'subscription';
  readonly subject: string;
}

export interface WireEvents {
  /** The connection broke or was closed: whatever was under way may be lost. */
  onLost(): void;
  /** The server's permissions refused something. */
  onRefused(refusal: Refusal): void;
}

/** What a transport has to offer; everything else of the bus is the same over each of them. */
export interface Wire {
  /** Longest message, headers included. */
  maxPayloadBytes(): number;
  state(): WireState;
  watch(events: WireEvents): void;
  /** False when it was not handed over, and never will be. */
  publish(message: Outgoing): boolean;
  subscribe(subscriber: Subscriber): WireSubscription;
  /** Receives what is published on `<prefix>.<token>`. */
  openInbox(prefix: string, onArrival: (token: string, arrival: Arrival) => void): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Room kept for headers in every message. */
export const headerRoomBytes = 1024;
