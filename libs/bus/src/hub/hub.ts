import type { Bus } from '../bus.js';
import { DeliveryQueue } from './delivery-queue.js';
import { HubWire, type Switchboard } from './hub-wire.js';
import { ServiceBus, type ConnectOptions } from '../core/service-bus.js';
import type { Arrival, Incoming, Outgoing, Subscriber } from '../core/wire.js';

/** The bus inside one process. What it carries are bytes: nothing is shared between services. */
export interface Hub {
  connect(options: ConnectOptions): Bus;
  /** Ends every connection. */
  close(): Promise<void>;
}

interface Route {
  readonly everybody: Set<Subscriber>;
  /** By name of the queue; the first member is the next one to be served. */
  readonly queues: Map<string, Subscriber[]>;
}

const defaultMaxPayloadBytes = 4 * 1024 * 1024;

export function createHub(options: { maxPayloadBytes?: number } = {}): Hub {
  const board = new HubBoard(options.maxPayloadBytes ?? defaultMaxPayloadBytes);
  return {
    connect: (connectOptions) => new ServiceBus(board.plug(), connectOptions),
    close: () => board.close(),
  };
}

/** Routes at delivery, not when sent: who has left in between gets nothing, as on a server. */
class HubBoard implements Switchboard {
  readonly #routes = new Map<string, Route>();
  readonly #inboxes = new Map<string, (token: string, arrival: Arrival) => void>();
  readonly #wires = new Set<HubWire>();
  readonly #queue = new DeliveryQueue<Outgoing>((message) => this.#deliver(message));
  readonly #publish = (message: Outgoing): void => this.#queue.push(message);

  constructor(readonly maxPayloadBytes: number) {}

  plug(): HubWire {
    const wire = new HubWire(this);
    this.#wires.add(wire);
    return wire;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#wires].map((wire) => wire.close()));
  }

  publish(message: Outgoing): void {
    this.#publish(message);
  }

  openInbox(prefix: string, onArrival: (token: string, arrival: Arrival) => void): void {
    this.#inboxes.set(prefix, onArrival);
  }

  closeInbox(prefix: string): void {
    this.#inboxes.delete(prefix);
  }

  unplug(wire: HubWire): void {
    this.#wires.delete(wire);
  }

  add(subscriber: Subscriber): void {
    const route = this.#routes.get(subscriber.subject) ?? { everybody: new Set(), queues: new Map() };
    this.#routes.set(subscriber.subject, route);
    if (subscriber.queue === undefined) route.everybody.add(subscriber);
    else route.queues.set(subscriber.queue, [...(route.queues.get(subscriber.queue) ?? []), subscriber]);
  }

  remove(subscriber: Subscriber): void {
    const route = this.#routes.get(subscriber.subject);
    if (route === undefined) return;
    route.everybody.delete(subscriber);
    for (const [name, members] of route.queues) {
      const left = members.filter((member) => member !== subscriber);
      if (left.length > 0) route.queues.set(name, left);
      else route.queues.delete(name);
    }
    if (route.everybody.size === 0 && route.queues.size === 0) this.#routes.delete(subscriber.subject);
  }

  #deliver(message: Outgoing): void {
    const route = this.#routes.get(message.subject);
    if (route !== undefined) return this.#fanOut(route, message);
    if (this.#toInbox(message.subject, message)) return;
    if (message.reply !== undefined) this.#toInbox(message.reply, 'no_responders');
  }

  #fanOut(route: Route, message: Incoming): void {
    for (const members of route.queues.values()) {
      const next = members.shift();
      if (next === undefined) continue;
      members.push(next);
      next.onMessage(message);
    }
    for (const subscriber of [...route.everybody]) subscriber.onMessage(message);
  }

  #toInbox(subject: string, arrival: Arrival): boolean {
    const end = subject.lastIndexOf('.');
    const onArrival = this.#inboxes.get(subject.slice(0, end));
    onArrival?.(subject.slice(end + 1), arrival);
    return onArrival !== undefined;
  }
}
