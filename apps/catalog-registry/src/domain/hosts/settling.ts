import type { ServerKey } from '../servers/desired-servers.js';

/** Who waits for servers to be settled. */
export class Settling {
  private readonly watchers = new Map<ServerKey, Set<() => void>>();

  constructor(private readonly isSettled: (key: ServerKey) => boolean) {}

  /** Until the server is settled or the signal ends the wait. */
  until(key: ServerKey, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const watchers = this.watchers.get(key) ?? new Set();
      this.watchers.set(key, watchers);
      const check = () => {
        if (!signal.aborted && !this.isSettled(key)) return;
        watchers.delete(check);
        signal.removeEventListener('abort', check);
        resolve();
      };
      watchers.add(check);
      signal.addEventListener('abort', check);
      check();
    });
  }

  /** Something about the server changed. */
  look(key: ServerKey): void {
    for (const check of [...(this.watchers.get(key) ?? [])]) check();
    if (this.watchers.get(key)?.size === 0) this.watchers.delete(key);
  }
}
