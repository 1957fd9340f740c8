import type { AskOf, takeQuota } from '@uar/contracts';
import { expect, it } from 'vitest';
import { openLedger } from '../open-ledger.js';
import { inEveryLastingPlace, inEveryPlace } from './places.fixture.js';
import { startOfTime as now } from './samples.fixture.js';

type Take = AskOf<typeof takeQuota>['takes'][number];

const day = 86_400_000;
const midnight = Date.parse('2026-12-01T00:00:00.000Z');

inEveryPlace('quotas', (ledger) => {
  let made = 0;
  const bucket = () => `bucket-${(made += 1)}`;
  const takeOf = (name: string, changes: Partial<Take> = {}): Take => ({
    ...{ quota: 'daily', bucket: name, calls: 10, window_ms: day, needed: 1, units: 1 },
    ...changes,
  });
  const take = async (name: string, changes: Partial<Take> = {}, at = now) => {
    const { taken } = await ledger().takeQuota({ takes: [takeOf(name, changes)], now: at });
    return taken[0];
  };
  const granted = async (...given: Parameters<typeof take>) => (await take(...given))?.granted;

  it('grants as many units as the window has, then none until it ends, which it tells', async () => {
    const name = bucket();
    expect(await granted(name, { needed: 9, units: 9 })).toBe(9);
    expect(await take(name)).toEqual({ granted: 1, ends_at: midnight, resets_in_ms: midnight - now });
    expect(await take(name)).toEqual({ granted: 0, ends_at: midnight, resets_in_ms: midnight - now });
    expect(await granted(name, {}, midnight - 1)).toBe(0);
    expect(await take(name, {}, midnight)).toEqual({
      granted: 1,
      ends_at: midnight + day,
      resets_in_ms: day,
    });
  });

  it('grants any number of asks at once no more than there is', async () => {
    const name = bucket();
    const all = await Promise.all(Array.from({ length: 50 }, () => granted(name)));
    expect(all.filter((units) => units === 1)).toHaveLength(10);
  });

  it('grants ahead of need no more than half of what is left', async () => {
    const name = bucket();
    expect(await granted(name, { needed: 1, units: 100 })).toBe(5);
    expect(await granted(name, { needed: 1, units: 100 })).toBe(2);
    expect(await granted(name, { needed: 3, units: 100 })).toBe(3);
    expect(await granted(name, { needed: 3, units: 100 })).toBe(0);
  });

  it('takes units back for their own window alone', async () => {
    const name = bucket();
    await take(name, { needed: 10, units: 10 });
    const giveBack = (ends_at: number) => ({ needed: 0, units: 0, back: { units: 4, ends_at } });
    expect(await granted(name, giveBack(midnight - day))).toBe(0);
    expect(await granted(name)).toBe(0);
    expect(await granted(name, giveBack(midnight))).toBe(0);
    expect(await granted(name, { needed: 5, units: 5 })).toBe(4);
  });

  it('keeps buckets and quotas apart, and counts anew when the length of the window is another one', async () => {
    const name = bucket();
    await take(name, { needed: 10, units: 10 });
    expect(await granted(bucket())).toBe(1);
    expect(await granted(name, { quota: 'other' })).toBe(1);
    expect(await granted(name)).toBe(0);
    expect(await granted(name, { window_ms: 2 * day })).toBe(1);
  });

  it('does not give a window twice when the clock is set back, nor wait for one of a clock that was far ahead', async () => {
    const name = bucket();
    await take(name, { needed: 10, units: 10 }, midnight);
    expect(await granted(name, {}, midnight - 1)).toBe(0);
    expect(await granted(name, {}, midnight - 3 * day)).toBe(1);
  });

  it('forgets a window that is over, not before', async () => {
    const name = bucket();
    await take(name, { needed: 10, units: 10 });
    await ledger().purgeExpired({ now: midnight - 1 });
    expect(await granted(name, {}, midnight - 1)).toBe(0);
    await ledger().purgeExpired({ now: midnight });
    expect(await granted(name, {}, midnight - 1)).toBe(1);
  });
});

inEveryLastingPlace('quotas', (placed) =>
  it('survive a restart', async () => {
    const place = await placed();
    const take = { quota: 'daily', bucket: 'b', calls: 10, window_ms: day, needed: 7, units: 7 };
    const once = async () => {
      const ledger = await openLedger(place.options);
      const { taken } = await ledger.takeQuota({ takes: [take], now });
      await ledger.close();
      return taken[0]?.granted;
    };
    expect([await once(), await once(), await once()]).toEqual([7, 3, 0]);
    place.remove();
  }),
);
