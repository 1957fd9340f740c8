import type { Clock } from '../call/ports.js';

export interface LaneBounds {
  /** So much is done at once of one lane. */
  readonly atOnce: number;
  /** So many more wait behind it. */
  readonly mostWaiting: number;
  /** Nobody waits longer. */
  readonly waitMs: number;
}

export type LaneEntry =
  | { readonly kind: 'entered'; leave(): void }
  /** By then those that wait now will have had their turn, as long as work takes what it took lately. */
  | { readonly kind: 'full'; readonly retryAfterMs: number };

interface Lane {
  busy: number;
  readonly waiting: Set<() => void>;
  /** How long work took lately. */
  usualMs: number;
}

/** What a lane is taken to need before it was seen to work. */
const firstUsualMs = 1_000;
const leastRetryMs = 1_000;

/** A bounded queue for each tenant before work that is done one after another: a burst waits for its own, and holds up nobody else. */
export class Lanes {
  private readonly lanes = new Map<string, Lane>();

  constructor(
    private readonly bounds: LaneBounds,
    private readonly clock: Clock,
  ) {}

  enter(tenant: string): LaneEntry | Promise<LaneEntry> {
    const { atOnce, mostWaiting } = this.bounds;
    const lane = this.lanes.get(tenant) ?? { busy: 0, waiting: new Set(), usualMs: firstUsualMs };
    this.lanes.set(tenant, lane);
    if (lane.busy < atOnce) return this.begin(tenant, lane);
    if (lane.waiting.size >= mostWaiting) return this.full(lane);
    return this.wait(tenant, lane);
  }

  private wait(tenant: string, lane: Lane): Promise<LaneEntry> {
    return new Promise((resolve) => {
      const next = (): void => {
        stop();
        resolve(this.begin(tenant, lane));
      };
      const stop = this.clock.after(this.bounds.waitMs, () => {
        lane.waiting.delete(next);
        resolve(this.full(lane));
      });
      lane.waiting.add(next);
    });
  }

  private begin(tenant: string, lane: Lane): LaneEntry {
    lane.busy += 1;
    const since = this.clock.now();
    let isOver = false;
    const leave = (): void => {
      if (isOver) return;
      isOver = true;
      this.end(tenant, lane, this.clock.now() - since);
    };
    return { kind: 'entered', leave };
  }

  private end(tenant: string, lane: Lane, tookMs: number): void {
    lane.busy -= 1;
    lane.usualMs = (lane.usualMs + tookMs) / 2;
    const [next] = lane.waiting;
    if (next !== undefined) {
      lane.waiting.delete(next);
      next();
    } else if (lane.busy === 0) this.lanes.delete(tenant);
  }

  private full({ waiting, usualMs }: Lane): LaneEntry {
    const rounds = Math.ceil((waiting.size + 1) / this.bounds.atOnce);
    return { kind: 'full', retryAfterMs: Math.max(leastRetryMs, Math.ceil(rounds * usualMs)) };
  }
}

/** Injection token of the Lanes of what the decider tries in its spare instance. */
export const TRIAL_LANES = Symbol('uar.gateway.trial-lanes');
