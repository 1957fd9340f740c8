import type { Bus } from '@uar/bus';
import { limitsSpent, type Caller } from '@uar/contracts';
import { testConfig, withBothBuses } from '@uar/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { assembleLimits } from './assembly-limits.js';
import { caller } from './domain/call-spec/facts.fixture.js';

const burst = 20;

withBothBuses('rates of two gateways', (connect) => {
  let buses: Bus[];
  let gateways: ReturnType<typeof assembleLimits>[];

  beforeEach(async () => {
    // One call drains in a minute: what passes in a test passes at once.
    const rate = { name: 'calls', per: 'principal' as const, calls: 60, window_seconds: 3_600, burst };
    const config = testConfig({ limits: { rates: [rate, { ...rate, name: 'open', fail: 'open' }] } });
    buses = [await connect('gateway'), await connect('gateway')];
    gateways = buses.map((bus) => assembleLimits({ bus, config }));
    for (const gateway of gateways) gateway.followLimits();
    await Promise.all(buses.map((bus) => bus.flush()));
  });
  afterEach(async () => {
    for (const gateway of gateways) gateway.stopLimits();
    await Promise.all(buses.map((bus) => bus.close()));
  });

  const named = (subject: string): Caller => ({
    ...caller,
    principal: { ...caller.principal, subject },
  });
  const outcome = (gateway: number, subject: string) =>
    gateways[gateway]?.callLimits.refusal(named(subject), 'fs__read')?.outcome ?? 'passed';
  const passed = (gateway: number, subject: string, tries: number) =>
    Array.from({ length: tries }, () => outcome(gateway, subject)).filter((it) => it === 'passed').length;

  /** Resolves once one gateway heard what the other let through. */
  const heard = (by: number, from: number): Promise<void> =>
    new Promise((resolve) => {
      buses[by]?.listen(limitsSpent, ({ instance, spent }) => {
        if (instance === buses[from]?.instance && spent.length > 0) resolve();
      });
    });

  it('know of each other what was let through', async () => {
    const told = heard(1, 0);
    expect(passed(0, 'ada', 15)).toBe(15);
    await told;
    expect(passed(1, 'ada', 100)).toBe(5);
    expect(outcome(1, 'bob')).toBe('passed');
  });

  it('exceed together by one burst at most, once, when both are asked at the same moment', async () => {
    const told = Promise.all([heard(0, 1), heard(1, 0)]);
    const together = passed(0, 'ada', 500) + passed(1, 'ada', 500);
    expect(together).toBe(2 * burst);
    await told;
    expect(passed(0, 'ada', 500) + passed(1, 'ada', 500)).toBe(0);
  });

  it('miss nobody who said goodbye', async () => {
    const goodbye = heard(0, 1);
    await buses[0]?.flush();
    expect(passed(1, 'ada', 3)).toBe(3);
    gateways[1]?.stopLimits();
    await goodbye;
    expect(passed(0, 'ada', 100)).toBe(17);
  });

  it('refuse while the other one is not heard, and say that it is not the limit', async () => {
    const told = heard(0, 1);
    expect(passed(1, 'ada', 1)).toBe(1);
    await told;
    await buses[1]?.close();
    await expect.poll(() => outcome(0, 'bob'), { timeout: 5_000 }).toBe('unavailable');
    expect(outcome(1, 'bob')).toBe('unavailable');
  });
});
