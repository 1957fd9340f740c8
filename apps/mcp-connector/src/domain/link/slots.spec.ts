import { describe, expect, it } from 'vitest';
import { BackOff } from './back-off.js';
import { systemClock } from '../../adapters/system-clock.js';
import { Slots } from './slots.js';

const never = new AbortController().signal;

describe('Slots', () => {
  it('lets so many run, so many wait, and turns the rest away', async () => {
    const slots = new Slots(1, 1);
    expect(await slots.take(never)).toBe('taken');
    const second = slots.take(never);
    expect(await slots.take(never)).toBe('full');
    slots.release();
    expect(await second).toBe('taken');
    expect(slots.inUse).toBe(1);
    const idle = slots.idleWithin(60_000, systemClock);
    slots.release();
    await idle;
    expect(slots.inUse).toBe(0);
  });

  it('lets whoever waits leave, and gives nobody the place twice', async () => {
    const slots = new Slots(1, 3);
    await slots.take(never);
    const leaver = new AbortController();
    const left = slots.take(leaver.signal);
    const stays = slots.take(never);
    leaver.abort();
    expect(await left).toBe('aborted');
    slots.release();
    expect(await stays).toBe('taken');
    leaver.abort();
    expect(slots.inUse).toBe(1);
    expect(await slots.take(leaver.signal)).toBe('aborted');
  });

  it('follows a change of its size', async () => {
    const slots = new Slots(1, 3);
    await slots.take(never);
    const waiting = [slots.take(never), slots.take(never)];
    slots.setCapacity(3);
    expect(await Promise.all(waiting)).toEqual(['taken', 'taken']);
  });
});

describe('BackOff', () => {
  const options = { firstMs: 100, longestMs: 1_000, crashLoopAfter: 5, crashLoopMs: 9_000 };

  it('doubles up to its longest, with jitter of a half, then calls it a crash loop', () => {
    const slow = new BackOff({ ...options, random: () => 1 });
    const fast = new BackOff({ ...options, random: () => 0 });
    expect(Array.from({ length: 4 }, () => slow.afterFailure())).toEqual([100, 200, 400, 800]);
    expect(Array.from({ length: 4 }, () => fast.afterFailure())).toEqual([50, 100, 200, 400]);
    expect(slow.isCrashLoop).toBe(false);
    expect(slow.afterFailure()).toBe(9_000);
    expect(slow.isCrashLoop).toBe(true);
    slow.reset();
    expect(slow.afterFailure()).toBe(100);
  });
});
