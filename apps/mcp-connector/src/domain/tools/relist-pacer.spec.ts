import { expect, it } from 'vitest';
import { linkTimes } from '../link/link-times.js';
import { RelistPacer } from './relist-pacer.js';

const pace = {
  debounceMs: linkTimes.listDebounce,
  firstGapMs: linkTimes.firstListGap,
  longestGapMs: linkTimes.longestListGap,
};

it('reads soon after a change that comes out of a quiet time', () => {
  const pacer = new RelistPacer(pace);
  pacer.wasRead(0);
  expect(pacer.delayAfterChange(60_000)).toBe(100);
});

it('reads within a second what changes right after a read, three times in a row', () => {
  const pacer = new RelistPacer(pace);
  let now = 60_000;
  for (let change = 0; change < 3; change += 1) {
    pacer.wasRead(now);
    const delayMs = pacer.delayAfterChange(now + 1);
    expect(delayMs).toBeLessThan(900);
    now += 1 + delayMs;
  }
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
