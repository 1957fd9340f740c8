import { setTimeout as delay } from 'node:timers/promises';

/** Leaves the machine to others for a while; keeps no process alive. */
export function pause(ms: number): Promise<void> {
  return delay(ms, undefined, { ref: false });
}
