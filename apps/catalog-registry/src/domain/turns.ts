import type { ServerKey } from './servers/desired-servers.js';

/** One piece of work per server at a time, in order. */
export class Turns {
  private readonly queues = new Map<ServerKey, Promise<unknown>>();

  async exclusive<T>(key: ServerKey, work: () => Promise<T>): Promise<T> {
    const before = this.queues.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.queues.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.queues.get(key) === mine) this.queues.delete(key);
    }
  }
}
