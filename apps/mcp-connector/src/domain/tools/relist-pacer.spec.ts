import { expect, it } from 'vitest';
import { RelistPacer } from './relist-pacer.js';

const pace = { debounceMs: 100, firstGapMs: 500, longestGapMs: 30_000 };

it('reads soon after a change that comes out of a quiet time', () => {
  const pacer = new RelistPacer(pace);
  pacer.wasRead(0);
  expect(pacer.delayAfterChange(60_000)).toBe(100);
});

it('reads ever more rarely from a server that answers each list with another change', () => {
  const pacer = new RelistPacer(pace);
  let now = 0;
  let reads = 0;
  for (pacer.wasRead(now); now < 3_600_000; reads += 1) {
    now += pacer.delayAfterChange(now);
    pacer.wasRead(now);
  }
  expect(reads).toBeLessThan(130);
  expect(pacer.delayAfterChange(now)).toBe(30_000);
  expect(pacer.delayAfterChange(now + 120_000)).toBe(100);
});
