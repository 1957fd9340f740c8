/** A time limit that stands still while the client of what it limits is being asked. */
export class TimeLimit {
  private timer: NodeJS.Timeout | undefined;
  private startedAt = 0;
  private asking = 0;
  private isOver = false;

  constructor(
    private leftMs: number,
    private readonly onOver: () => void,
  ) {
    this.start();
  }

  /** Until the returned function is called, once. */
  pause(): () => void {
    this.asking += 1;
    if (this.asking === 1) this.halt();
    return () => {
      this.asking -= 1;
      if (this.asking === 0) this.start();
    };
  }

  end(): void {
    this.isOver = true;
    clearTimeout(this.timer);
  }

  private start(): void {
    if (this.isOver) return;
    this.startedAt = performance.now();
    this.timer = setTimeout(this.onOver, this.leftMs);
  }

  private halt(): void {
    clearTimeout(this.timer);
    this.leftMs = Math.max(0, this.leftMs - (performance.now() - this.startedAt));
  }
}
