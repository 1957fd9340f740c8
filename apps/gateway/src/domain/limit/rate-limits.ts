import type { Rate } from './rate.js';
import type { LimitedCall } from './limit-scope.js';

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

interface Bucket {
  readonly rate: Rate;
  readonly id: string;
}

const admitted: Admission = { kind: 'admitted' };

/** The configured rates. A call takes from every rate that covers it, or from none. */
export class RateLimits {
  /** When a bucket is empty, by rate and bucket, least recently used first. */
  private readonly emptyAt = new Map<string, number>();
  private readonly byName: ReadonlyMap<string, Rate>;
  private spent = new Map<string, { bucket: Bucket; calls: number }>();

  constructor(private readonly parts: RateLimitsParts) {
    this.byName = new Map(parts.rates.map((rate) => [rate.name, rate]));
  }

  get buckets(): number {
    return this.emptyAt.size;
  }

  /** Decides and takes in one step: of any number of calls at once no more pass than fit. */
  admit(call: LimitedCall): Admission {
    const now = this.parts.now();
    const buckets: Bucket[] = [];
    let refusal: Admission = admitted;
    for (const rate of this.parts.rates) {
      if (!rate.scope.covers(call)) continue;
      if (rate.fail === 'closed' && !this.parts.isInformed()) return { kind: 'unknown', rate: rate.name };
      const bucket = { rate, id: rate.scope.bucketOf(call) };
      const retryAfterMs = rate.waitMs(this.find(bucket), now);
      const longest = refusal.kind === 'limited' ? refusal.retryAfterMs : 0;
      if (retryAfterMs > longest) refusal = { kind: 'limited', rate: rate.name, retryAfterMs };
      buckets.push(bucket);
    }
    if (refusal.kind !== 'admitted') return refusal;
    for (const bucket of buckets) {
      this.take(bucket, now, 1);
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
      if (rate !== undefined) this.take({ rate, id }, now, calls);
    }
  }

  private find(bucket: Bucket): number {
    const place = placeOf(bucket);
    const emptyAt = this.emptyAt.get(place);
    if (emptyAt === undefined) return 0;
    this.emptyAt.delete(place);
    this.emptyAt.set(place, emptyAt);
    return emptyAt;
  }

  private take(bucket: Bucket, now: number, calls: number): void {
    const emptyAt = bucket.rate.after(this.find(bucket), now, calls);
    this.emptyAt.set(placeOf(bucket), emptyAt);
    if (this.emptyAt.size <= this.parts.mostBuckets) return;
    const [oldest] = this.emptyAt.keys();
    if (oldest !== undefined) this.emptyAt.delete(oldest);
  }

  private note(bucket: Bucket): void {
    const place = placeOf(bucket);
    const known = this.spent.get(place);
    if (known === undefined) this.spent.set(place, { bucket, calls: 1 });
    else known.calls += 1;
  }
}

function placeOf({ rate, id }: Bucket): string {
  return `${rate.name} ${id}`;
}
