import { ServerConfig, TenantId, type BodyOf, type Seat, type upstreamNotified } from '@uar/contracts';
import type { z } from 'zod';
import { HandClock } from '../hand-clock.fixture.js';
import { linkTimes } from '../link/link-times.js';
import type { CallEnd, Loss, OpenOptions, Opened, Upstream } from '../upstream.js';
import type { Claim } from './place.js';
import { Seats } from './seats.js';

/** An upstream that answers everything with nothing. */
class PlainUpstream implements Upstream {
  readonly offers = { logging: true, resourcesChange: true, promptsChange: true };
  readonly revision = '2025-11-25';
  readonly levels: string[] = [];
  closed = false;
  lose: (loss: Loss) => void = () => undefined;
  readonly lost = new Promise<Loss>((resolve) => {
    this.lose = resolve;
  });

  constructor(
    readonly options: OpenOptions,
    private readonly closing: () => Promise<void>,
  ) {}

  listPage = () => Promise.resolve({ kind: 'page' as const, definitions: [] });
  call = (): Promise<CallEnd> => Promise.resolve({ kind: 'ran', result_json: '{}', is_error: false });
  ping = () => Promise.resolve(true);
  setLogLevel = (level: string) => {
    this.levels.push(level);
    return Promise.resolve();
  };
  close = async () => {
    await this.closing();
    this.closed = true;
  };
}

/** Seats of one server whose upstreams, clock and clients are the test's. */
export class SeatWorld {
  readonly clock = new HandClock();

  constructor(private readonly more: Partial<z.input<typeof ServerConfig>> = {}) {}

  readonly opened: PlainUpstream[] = [];
  readonly told: BodyOf<typeof upstreamNotified>[] = [];
  readonly changed: string[] = [];
  readonly failures: string[] = [];
  open: (upstream: PlainUpstream) => Opened | Promise<Opened> = (upstream) => ({
    ...{ kind: 'open', upstream, sandbox: 'none' },
  });
  close: () => Promise<void> = () => Promise.resolve();
  readonly seats = new Seats({
    target: () => ({
      tenant: TenantId.parse('default'),
      name: 'own',
      config: ServerConfig.parse({
        transport: 'stdio',
        command: 'x',
        placement: 'per_principal',
        ...this.more,
      }),
    }),
    ports: {
      clock: this.clock,
      expand: (config) => ({ kind: 'expanded', config, secrets: [] }),
      open: async (_server, options) => {
        const upstream = new PlainUpstream(options, () => this.close());
        this.opened.push(upstream);
        return await this.open(upstream);
      },
      clients: {
        ask: () => Promise.resolve({ kind: 'gone' }),
        notify: (notice) => void this.told.push(notice),
      },
      onSeatFailed: ({ name }, message) => void this.failures.push(`${name}: ${message}`),
      onFault: (error) => {
        throw error;
      },
    },
    onItemsChanged: (kind) => void this.changed.push(kind),
  });

  get alive(): number {
    return this.opened.filter(({ closed }) => !closed).length;
  }

  /** A call of the principal that goes on until it is left. */
  async enter(principal: string, seat?: Seat) {
    const claim: Claim = { principal, seat };
    return await this.seats.take(claim, new AbortController().signal);
  }

  async call(principal: string, seat?: Seat): Promise<void> {
    const placed = await this.enter(principal, seat);
    if (placed.kind !== 'placed') throw new Error(placed.kind);
    placed.place.leave();
  }

  /** Lets a seat that was left now become idle for good. */
  async idle(): Promise<void> {
    await this.clock.pass(linkTimes.seatIdle);
  }
}
