import type { Clock } from '../domain/call/ports.js';

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, Math.min(ms, 2_147_483_647));
    return () => clearTimeout(timer);
  },
};
