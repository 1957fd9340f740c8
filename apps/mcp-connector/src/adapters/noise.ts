/** Counts what of an upstream's words was no use, and keeps a fault in the handling of them from ending the process. */
export class Noise {
  private heard = 0;
  private told = false;

  constructor(private readonly onFault: ((error: unknown) => void) | undefined) {}

  get count(): number {
    return this.heard;
  }

  add(): void {
    this.heard += 1;
  }

  /** Never throws; a fault counts as noise, and the first one of a connection is told. */
  guard(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.add();
      if (this.told) return;
      this.told = true;
      this.onFault?.(error);
    }
  }
}
