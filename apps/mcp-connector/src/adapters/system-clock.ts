import type { Clock } from '../domain/clock.js';

/** `wait(Infinity)` waits for the signal alone. Timers do not keep the process alive. */
export const systemClock: Clock = {
  now: Date.now,
  wait: async (ms, signal) => {
    if (signal.aborted || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = Number.isFinite(ms) ? setTimeout(end, ms) : undefined;
      timer?.unref();
      signal.addEventListener('abort', end, { once: true });
      function end(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      }
    });
  },
};
