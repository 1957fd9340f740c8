/** How soon to read a tool list again after `list_changed`, so that a server that answers each list with another change does not loop (N7). */
export class RelistPacer {
  private gapMs: number;
  private lastReadAt = -Infinity;

  constructor(
    private readonly options: {
      /** Changes within this time become one read. */
      readonly debounceMs: number;
      /** Shortest time between two reads; doubles with every read that is followed by a change at once. */
      readonly firstGapMs: number;
      readonly longestGapMs: number;
    },
  ) {
    this.gapMs = options.firstGapMs;
  }

  /** A change was announced: milliseconds until the list should be read. */
  delayAfterChange(now: number): number {
    const sinceRead = now - this.lastReadAt;
    this.gapMs =
      sinceRead < 2 * this.gapMs
        ? Math.min(this.options.longestGapMs, this.gapMs * 2)
        : this.options.firstGapMs;
    return Math.max(this.options.debounceMs, this.lastReadAt + this.gapMs - now);
  }

  wasRead(now: number): void {
    this.lastReadAt = now;
  }
}
