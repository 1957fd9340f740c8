const silentMs = 2_500;
const goneMs = 12_500;

/** The other gateways that tell what they let through, by what was heard of them. */
export class Peers {
  private readonly heardAt = new Map<string, number>();

  heard(instance: string, now: number): void {
    this.heardAt.set(instance, now);
  }

  left(instance: string): void {
    this.heardAt.delete(instance);
  }

  /** One that was there is not heard, and may still let calls through; later it is taken for gone. */
  isMissing(now: number): boolean {
    let missing = false;
    for (const [instance, at] of this.heardAt) {
      if (now - at > goneMs) this.heardAt.delete(instance);
      else if (now - at > silentMs) missing = true;
    }
    return missing;
  }
}
