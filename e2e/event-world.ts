import type { Product, TokenOptions } from '@uar/testkit';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { clientOf, toolListed, type Answer, type Body } from './client.js';
import { EventListener } from './event-listener.js';
import { createCounters, fixtureServer, onBothBuses, type Bus } from './on-both-buses.js';

export const runs = '/api/uar/runs';

/** A product in whose runs people call tools and listen to the events. */
export class EventWorld {
  private open: { close(): void }[] = [];

  constructor(private readonly started: () => Product) {}

  get product(): Product {
    return this.started();
  }

  async openRun(who: TokenOptions): Promise<Body> {
    const answer = await clientOf(this.product, who).request(runs, { body: {} });
    expect(answer.status).toBe(201);
    return answer.body;
  }

  /** Listens as somebody or, without, as nobody. */
  async listen(
    path: unknown,
    who: TokenOptions | undefined,
    options: { lastEventId?: string; reads?: boolean; at?: string } = {},
  ): Promise<EventListener> {
    const token = who === undefined ? {} : { token: this.product.token(who) };
    const url = `${options.at ?? this.product.gateway}${String(path)}`;
    const listener = await EventListener.open(url, { ...token, ...options });
    expect(listener.response.statusCode).toBe(200);
    this.closesLater(listener);
    return listener;
  }

  call(who: TokenOptions, run: unknown, args: object, tool = 'fix__count'): Promise<Answer> {
    return clientOf(this.product, who).request(`/api/tools/${tool}/execute`, {
      body: { arguments: args, ...(run === undefined ? {} : { run_id: String(run) }) },
    });
  }

  closesLater(one: { close(): void }): void {
    this.open.push(one);
  }

  close(): void {
    for (const each of this.open) each.close();
    this.open = [];
  }
}

/** One product per bus, with the fixture upstream; after each test of `body`, nobody listens any more. */
export function eventsOnBothBuses(name: string, body: (world: EventWorld, bus: Bus) => void): void {
  const counters = createCounters();
  afterAll(() => counters.remove());
  onBothBuses(
    name,
    (bus) => ({ config: { mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters[bus].file }) } } } }),
    (product, bus) => {
      const world = new EventWorld(product);
      beforeAll(async () => {
        await toolListed(clientOf(product()), 'fix__count');
      });
      afterEach(() => world.close());
      body(world, bus);
    },
  );
}
