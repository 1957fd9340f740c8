import type { LimitedCall } from '../limit-scope.js';
import { RateBuckets, placeOf, type RateBucket } from './rate-buckets.js';
import type { Rate } from './rate.js';

export type Admission =
  | { readonly kind: 'admitted' }
  /** Waiting that long, one more call fits, unless another one comes before. */
  | { readonly kind: 'limited'; readonly rate: string; readonly retryAfterMs: number }
  /** Nobody knows what other gateways let through, and the rate fails closed. */
  | { readonly kind: 'unknown'; readonly rate: string };

/** What one bucket let through here. */
export interface Spent {
  readonly rate: string;
  readonly bucket: string;
  readonly calls: number;
}

export interface RateLimitsParts {
  readonly rates: readonly Rate[];
  /** Milliseconds of a clock that is never set back, whole, from a small number on. */
  readonly now: () => number;
  /** Is everything known that other gateways let through? */
  readonly isInformed: () => boolean;
  /** Most buckets in memory; the one that was used least recently makes room, and is empty then. */
  readonly mostBuckets: number;
}

const admitted: Admission = { kind: 'admitted' };

/** The configured rates. A call takes from every rate that covers it, or from none. */
export class RateLimits {
  private readonly all: RateBuckets;
  private readonly byName: ReadonlyMap<string, Rate>;
  private spent = new Map<string, { bucket: RateBucket; calls: number }>();

  constructor(private readonly parts: RateLimitsParts) {
    this.all = new RateBuckets(parts.mostBuckets);
    this.byName = new Map(parts.rates.map((rate) => [rate.name, rate]));
  }

  get buckets(): number {
    return this.all.size;
  }

  /** Decides and takes in one step: of any number of calls at once no more pass than fit. */
  admit(call: LimitedCall): Admission {
    const now = this.parts.now();
    const buckets: RateBucket[] = [];
    let refusal: Admission = admitted;
    for (const rate of this.parts.rates) {
      if (!rate.scope.covers(call)) continue;
      if (rate.fail === 'closed' && !this.parts.isInformed()) return { kind: 'unknown', rate: rate.name };
      const bucket = { rate, id: rate.scope.bucketOf(call) };
      const retryAfterMs = this.all.waitMs(bucket, now);
      const longest = refusal.kind === 'limited' ? refusal.retryAfterMs : 0;
      if (retryAfterMs > longest) refusal = { kind: 'limited', rate: rate.name, retryAfterMs };
      buckets.push(bucket);
    }
    if (refusal.kind !== 'admitted') return refusal;
    for (const bucket of buckets) {
      this.all.take(bucket, now, 1);
      this.note(bucket);
    }
    return admitted;
  }

  /** What passed since this was asked before. */
  takeSpent(): readonly Spent[] {
    const taken = [...this.spent.values()];
    this.spent = new Map();
    return taken.map(({ bucket, calls }) => ({ rate: bucket.rate.name, bucket: bucket.id, calls }));
  }

  /** What another gateway let through; more than fits is owed, and drains like everything else. */
  merge(spent: readonly Spent[]): void {
    const now = this.parts.now();
    for (const { rate: name, bucket: id, calls } of spent) {
      const rate = this.byName.get(name);
      if (rate !== undefined) this.all.take({ rate, id }, now, calls);
    }
  }

  private note(bucket: RateBucket): void {
    const place = placeOf(bucket);
    const known = this.spent.get(place);
    if (known === undefined) this.spent.set(place, { bucket, calls: 1 });
    else known.calls += 1;
  }
}
