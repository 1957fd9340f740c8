/** How many calls work at once; calls that wait for a human hold no slot. */
export class Slots {
  private taken = 0;

  constructor(private readonly most: number) {}

  get inUse(): number {
    return this.taken;
  }

  tryTake(): boolean {
    if (this.taken >= this.most) return false;
    this.taken += 1;
    return true;
  }

  /** A call that was let go to wait comes back; it was accepted already. */
  retake(): void {
    this.taken += 1;
  }

  release(): void {
    this.taken -= 1;
  }
}
