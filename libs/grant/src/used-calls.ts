const bucketMs = 1000;

/**
 * Call ids that were used, remembered until their grants expire. Bounded: when full nothing more is taken, so that no id
 * is ever forgotten early.
 */
export class UsedCalls {
  readonly #ids = new Set<string>();
  readonly #byExpiry = new Map<number, string[]>();
  #sweptAt = 0;

  constructor(private readonly maxEntries: number) {
    if (!Number.isInteger(maxEntries) || maxEntries < 1)
      throw new Error('maxEntries must be a positive integer');
  }

  get size(): number {
    return this.#ids.size;
  }

  use(id: string, expiresAt: number, now: number): 'taken' | 'used' | 'full' {
    this.#sweep(Math.floor(now / bucketMs));
    if (this.#ids.has(id)) return 'used';
    if (this.#ids.size >= this.maxEntries) return 'full';
    this.#ids.add(id);
    const bucket = Math.floor(expiresAt / bucketMs);
    const ids = this.#byExpiry.get(bucket);
    if (ids === undefined) this.#byExpiry.set(bucket, [id]);
    else ids.push(id);
    return 'taken';
  }

  /** Whole seconds only: an id is kept up to a second longer than its grant, never shorter. */
  #sweep(nowBucket: number): void {
    if (nowBucket <= this.#sweptAt) return;
    this.#sweptAt = nowBucket;
    for (const [bucket, ids] of this.#byExpiry) {
      if (bucket >= nowBucket) continue;
      for (const id of ids) this.#ids.delete(id);
      this.#byExpiry.delete(bucket);
    }
  }
}
