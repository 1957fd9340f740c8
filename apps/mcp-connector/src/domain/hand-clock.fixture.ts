import type { Clock } from './clock.js';

/** Time that passes when the test says so. */
export class HandClock implements Clock {
  private time = 1_000_000;
  private readonly waits = new Set<{ readonly at: number; readonly end: () => void }>();

  now(): number {
    return this.time;
  }

  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const wait = { at: this.time + ms, end: resolve };
      this.waits.add(wait);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Ends what is due, and lets what waited for it go on. */
  async pass(ms: number): Promise<void> {
    this.time += ms;
    for (const wait of this.waits) {
      if (wait.at > this.time) continue;
      this.waits.delete(wait);
      wait.end();
    }
    await settle();
  }
}

/** Everything that was begun and waits for nothing outside has gone on. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
