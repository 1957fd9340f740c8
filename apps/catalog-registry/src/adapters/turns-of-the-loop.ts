import { setImmediate } from 'node:timers/promises';
import type { Pause } from '../domain/ports.js';

/** Pauses for one turn of the event loop whenever `sliceMs` have passed since the last one. */
export function turnsOfTheLoop(sliceMs = 10): Pause {
  let sliceEnd = performance.now() + sliceMs;
  return () => {
    if (performance.now() < sliceEnd) return undefined;
    return setImmediate().then(() => {
      sliceEnd = performance.now() + sliceMs;
    });
  };
}
