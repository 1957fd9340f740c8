import type { AnswerOf, AskOf, takeQuota } from '@uar/contracts';
import type { Quota } from './quota.js';

export type QuotaTake = AskOf<typeof takeQuota>['takes'][number];
export type QuotaTaken = AnswerOf<typeof takeQuota>['taken'][number];

/** The ledger's half. Undefined: nothing is known of what was taken. Never rejects. */
export interface QuotaLedger {
  take(takes: readonly QuotaTake[]): Promise<readonly QuotaTaken[] | undefined>;
}

/** One unit, or why there is none. */
export type Unit =
  | { readonly kind: 'taken'; readonly lease: Lease; readonly endsAt: number }
  | { readonly kind: 'spent'; readonly retryAfterMs: number }
  /** The ledger did not answer. */
  | { readonly kind: 'unknown' };

export interface LeasePlace {
  readonly quota: Quota;
  readonly bucket: string;
}

interface Lease extends LeasePlace {
  units: number;
  /** Of the window, by the ledger's clock: names the window. */
  endsAt: number;
  /** Until then, by our clock, the units are good. */
  goodUntil: number;
  /** Until then nobody asks again: nothing was left. */
  spentUntil: number;
  resetsAt: number;
  usedAt: number;
  isAsking: boolean;
  readonly waiting: ((unit: Unit) => void)[];
}

const mostAtOnce = 500;
/** Other gateways may give units back: what was spent is asked about again after that. */
const askAgainMs = 1_000;
const idleMs = 2_000;

/**
 * Units of quotas that this gateway took from the ledger and nobody has used yet. What is granted is spent there: a gateway
 * that dies takes its units with it, and no two gateways ever spend the same one.
 */
export class QuotaLeases {
  private readonly leases = new Map<string, Lease>();
  private due = new Set<Lease>();

  constructor(
    private readonly parts: {
      readonly ledger: QuotaLedger;
      /** Milliseconds of a clock that is never set back. */
      readonly now: () => number;
    },
  ) {}

  /** At once where units are here or known to be spent; with the next answer of the ledger otherwise. */
  take(place: LeasePlace): Unit | Promise<Unit> {
    const now = this.parts.now();
    const lease = this.leaseOf(place);
    lease.usedAt = now;
    if (now >= lease.goodUntil) lease.units = 0;
    if (lease.units > 0) return takeFrom(lease);
    if (now < lease.spentUntil) return noneLeft(lease, now);
    return new Promise((resolve) => {
      lease.waiting.push(resolve);
      this.ask(lease);
    });
  }

  /** A unit that was not needed after all. */
  putBack({ lease, endsAt }: Extract<Unit, { kind: 'taken' }>): void {
    if (lease.endsAt === endsAt) lease.units += 1;
  }

  /** Gives back to the ledger what nobody has used for a while; once, since a repeated answer would give it twice. */
  sweep(): void {
    const before = this.parts.now() - idleMs;
    this.giveBack([...this.leases.values()].filter(({ usedAt }) => usedAt <= before));
  }

  /** Gives everything back. */
  stop(): void {
    this.giveBack([...this.leases.values()]);
  }

  private giveBack(unused: readonly Lease[]): void {
    const now = this.parts.now();
    const takes = unused.flatMap((lease): QuotaTake[] => {
      if (lease.isAsking || lease.waiting.length > 0) return [];
      this.leases.delete(keyOf(lease));
      const { units, endsAt } = lease;
      lease.units = 0;
      if (units === 0 || now >= lease.goodUntil) return [];
      return [{ ...askOf(lease), needed: 0, units: 0, back: { units, ends_at: endsAt } }];
    });
    for (const some of inPieces(takes)) void this.parts.ledger.take(some);
  }

  private ask(lease: Lease): void {
    if (lease.isAsking) return;
    lease.isAsking = true;
    this.due.add(lease);
    if (this.due.size === 1) queueMicrotask(() => this.askAll());
  }

  /** Everything of one turn of the loop together. */
  private askAll(): void {
    const due = [...this.due];
    this.due = new Set();
    for (const some of inPieces(due)) void this.askFor(some);
  }

  private async askFor(leases: readonly Lease[]): Promise<void> {
    const askedAt = this.parts.now();
    const needs = leases.map(({ waiting }) => waiting.length);
    const takes = leases.map((lease, index): QuotaTake => {
      const needed = needs[index] ?? 0;
      return { ...askOf(lease), needed, units: needed + lease.quota.ahead };
    });
    const taken = await this.parts.ledger.take(takes);
    leases.forEach((lease, index) => {
      lease.isAsking = false;
      const answer = taken?.[index];
      const served = lease.waiting.splice(0, needs[index]);
      if (answer === undefined) for (const serve of served) serve({ kind: 'unknown' });
      else this.serve(lease, served, { answer, askedAt });
      if (lease.waiting.length > 0) this.ask(lease);
    });
  }

  private serve(
    lease: Lease,
    served: readonly ((unit: Unit) => void)[],
    { answer, askedAt }: { readonly answer: QuotaTaken; readonly askedAt: number },
  ): void {
    const now = this.parts.now();
    lease.units = answer.granted + (lease.endsAt === answer.ends_at ? lease.units : 0);
    lease.endsAt = answer.ends_at;
    // The answer was made somewhere between: units end early, waits end late.
    lease.goodUntil = askedAt + answer.resets_in_ms;
    lease.resetsAt = now + answer.resets_in_ms;
    if (answer.granted < served.length) lease.spentUntil = Math.min(lease.resetsAt, now + askAgainMs);
    for (const serve of served) serve(lease.units > 0 ? takeFrom(lease) : noneLeft(lease, now));
  }

  private leaseOf(place: LeasePlace): Lease {
    const key = keyOf(place);
    const known = this.leases.get(key);
    if (known !== undefined) return known;
    const lease: Lease = {
      ...{ quota: place.quota, bucket: place.bucket, units: 0, endsAt: 0 },
      ...{ goodUntil: 0, spentUntil: 0, resetsAt: 0, usedAt: 0, isAsking: false, waiting: [] },
    };
    this.leases.set(key, lease);
    return lease;
  }
}

function takeFrom(lease: Lease): Unit {
  lease.units -= 1;
  return { kind: 'taken', lease, endsAt: lease.endsAt };
}

function noneLeft({ resetsAt }: Lease, now: number): Unit {
  return { kind: 'spent', retryAfterMs: Math.max(1, resetsAt - now) };
}

function askOf({ quota, bucket }: LeasePlace) {
  return { quota: quota.name, bucket, calls: quota.calls, window_ms: quota.windowMs };
}

function keyOf({ quota, bucket }: LeasePlace): string {
  return `${quota.name} ${bucket}`;
}

function inPieces<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / mostAtOnce);
  return Array.from({ length: count }, (_, index) =>
    items.slice(index * mostAtOnce, (index + 1) * mostAtOnce),
  );
}
