import type { Bus } from '@uar/bus';
import { takeQuota } from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deployment, value, type Deployment } from './running.fixture.js';

withBothBuses('quotas behind the bus', (connect) => {
  const windowMs = 31 * 86_400_000;
  let service: Deployment;
  let gateways: Bus[];

  beforeAll(async () => {
    service = deployment(connect);
    await service.start();
    gateways = [await connect('gateway'), await connect('gateway')];
  });
  afterAll(() => service.end());

  const granted = async (gateway: number, bucket: string, needed: number) => {
    const take = { quota: 'monthly', bucket, calls: 100, window_ms: windowMs, needed, units: needed };
    const reply = await gateways[gateway]?.ask(takeQuota, { takes: [take] });
    if (reply === undefined) throw new Error('no such gateway');
    return value(reply).taken[0];
  };

  it('are one count for all gateways, and end with the window of the calendar', async () => {
    const all = await Promise.all(Array.from({ length: 60 }, (_, index) => granted(index % 2, 'shared', 2)));
    expect(all.reduce((sum, taken) => sum + (taken?.granted ?? 0), 0)).toBe(100);
    const [{ ends_at = 0, resets_in_ms = 0 } = {}] = all;
    expect(ends_at % windowMs).toBe(0);
    expect(Math.abs(ends_at - resets_in_ms - Date.now())).toBeLessThan(60_000);
  });

  it('survive a restart', async () => {
    expect(await granted(0, 'kept', 60)).toMatchObject({ granted: 60 });
    await service.stop();
    await service.start();
    expect(await granted(0, 'kept', 60)).toMatchObject({ granted: 40 });
  });
});
