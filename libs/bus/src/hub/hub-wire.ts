import type {
  Arrival,
  Outgoing,
  Subscriber,
  Wire,
  WireEvents,
  WireState,
  WireSubscription,
} from '../core/wire.js';

export interface Switchboard {
  readonly maxPayloadBytes: number;
  publish(message: Outgoing): void;
  add(subscriber: Subscriber): void;
  remove(subscriber: Subscriber): void;
  openInbox(prefix: string, onArrival: (token: string, arrival: Arrival) => void): void;
  closeInbox(prefix: string): void;
  unplug(wire: HubWire): void;
}

/** One service's plug in the hub. */
export class HubWire implements Wire {
  readonly #subscribers = new Set<Subscriber>();
  readonly #inboxes = new Set<string>();
  #state: WireState = 'connected';
  #events: WireEvents | undefined;

  constructor(private readonly board: Switchboard) {}

  maxPayloadBytes(): number {
    return this.board.maxPayloadBytes;
  }

  state(): WireState {
    return this.#state;
  }

  watch(events: WireEvents): void {
    this.#events = events;
  }

  publish(message: Outgoing): boolean {
    if (this.#state !== 'connected') return false;
    this.board.publish(message);
    return true;
  }

  subscribe(subscriber: Subscriber): WireSubscription {
    if (this.#state === 'closed') throw new Error('the bus is closed');
    this.board.add(subscriber);
    this.#subscribers.add(subscriber);
    const end = (): void => {
      this.board.remove(subscriber);
      this.#subscribers.delete(subscriber);
    };
    return { end, drain: () => Promise.resolve(end()) };
  }

  openInbox(prefix: string, onArrival: (token: string, arrival: Arrival) => void): void {
    this.board.openInbox(prefix, onArrival);
    this.#inboxes.add(prefix);
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    if (this.#state === 'closed') return Promise.resolve();
    this.#state = 'closed';
    for (const subscriber of this.#subscribers) this.board.remove(subscriber);
    for (const prefix of this.#inboxes) this.board.closeInbox(prefix);
    this.board.unplug(this);
    this.#events?.onLost();
    return Promise.resolve();
  }
}
