import type { Bus } from '@uar/bus';
import { limitsSpent } from '@uar/contracts';
import type { Peers } from '../../domain/limit/peers.js';
import type { RateLimits } from '../../domain/limit/rates/rate-limits.js';

export interface LimitExchangeParts {
  readonly bus: Bus;
  readonly limits: RateLimits;
  readonly peers: Peers;
  /** The clock of `limits`. */
  readonly now: () => number;
}

const tellMs = 200;
const beatMs = 1_000;
const perAnnouncement = 2_000;

/** Tells other gateways what this one let through, and hears the same of them. What nobody hears is not told again. */
export class LimitExchange {
  private toldAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private end: (() => void) | undefined;

  constructor(private readonly parts: LimitExchangeParts) {}

  start(): void {
    const { bus, limits, peers, now } = this.parts;
    this.end = bus.listen(limitsSpent, ({ instance, spent, stopping }) => {
      if (instance === bus.instance) return;
      if (stopping) peers.left(instance);
      else peers.heard(instance, now());
      limits.merge(spent);
    });
    this.timer = setInterval(() => this.tell(false), tellMs);
    this.timer.unref();
    this.tell(false);
  }

  /** The last word: nobody is to wait for another one. */
  stop(): void {
    if (this.timer === undefined) return;
    clearInterval(this.timer);
    this.end?.();
    this.tell(true);
  }

  private tell(stopping: boolean): void {
    const { bus, limits, now } = this.parts;
    const spent = limits.takeSpent();
    if (spent.length === 0 && !stopping && now() - this.toldAt < beatMs) return;
    this.toldAt = now();
    for (let at = 0; at === 0 || at < spent.length; at += perAnnouncement)
      bus.announce(limitsSpent, {
        instance: bus.instance,
        spent: spent.slice(at, at + perAnnouncement),
        stopping,
      });
  }
}
