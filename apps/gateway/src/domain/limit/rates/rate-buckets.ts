import type { Rate } from './rate.js';

export interface RateBucket {
  readonly rate: Rate;
  readonly id: string;
}

/** What is in the buckets of rates. There are `most`: the one that was used least recently makes room, and is empty then. */
export class RateBuckets {
  /** When a bucket is empty, by rate and bucket, least recently used first. */
  private readonly emptyAt = new Map<string, number>();

  constructor(private readonly most: number) {}

  get size(): number {
    return this.emptyAt.size;
  }

  /** Milliseconds until one more fits; 0 = now. */
  waitMs(bucket: RateBucket, now: number): number {
    return bucket.rate.waitMs(this.find(bucket), now);
  }

  take(bucket: RateBucket, now: number, calls: number): void {
    const emptyAt = bucket.rate.after(this.find(bucket), now, calls);
    this.emptyAt.set(placeOf(bucket), emptyAt);
    if (this.emptyAt.size <= this.most) return;
    const [oldest] = this.emptyAt.keys();
    if (oldest !== undefined) this.emptyAt.delete(oldest);
  }

  private find(bucket: RateBucket): number {
    const place = placeOf(bucket);
    const emptyAt = this.emptyAt.get(place);
    if (emptyAt === undefined) return 0;
    this.emptyAt.delete(place);
    this.emptyAt.set(place, emptyAt);
    return emptyAt;
  }
}

export function placeOf({ rate, id }: RateBucket): string {
  return `${rate.name} ${id}`;
}
