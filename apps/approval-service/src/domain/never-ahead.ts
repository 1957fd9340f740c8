import type { Clock } from './ports.js';

/**
 * A wall clock that is set forward while we run does not move this one: nothing is removed for being old that is not. It may
 * fall behind (a machine that slept), and follows a clock that is set back. `monotonic`: milliseconds.
 */
export function neverAhead(wall: Clock, monotonic: () => number): Clock {
  const started = wall.now() - monotonic();
  return { now: () => Math.min(wall.now(), started + monotonic()) };
}
