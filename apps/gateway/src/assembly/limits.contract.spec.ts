import type { Bus } from '@uar/bus';
import { limitsSpent, takeQuota, type AskOf, type Caller } from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { testConfig, withBothBuses } from '@uar/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { assembleLimits } from './limits.js';
import { caller } from '../domain/call-spec/facts.fixture.js';

const burst = 20;
const log = createLog({ service: 'test', level: 'silent' });

withBothBuses('rates of two gateways', (connect) => {
  let buses: Bus[];
  let gateways: ReturnType<typeof assembleLimits>[];

  beforeEach(async () => {
    // One call drains in a minute: what passes in a test passes at once.
    const rate = { name: 'calls', per: 'principal' as const, calls: 60, window_seconds: 3_600, burst };
    const config = testConfig({ limits: { rates: [rate, { ...rate, name: 'open', fail: 'open' }] } });
    buses = [await connect('gateway'), await connect('gateway')];
    gateways = buses.map((bus) => assembleLimits({ bus, config, log, replica: { find: () => undefined } }));
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
  const outcome = async (gateway: number, subject: string) =>
    (await gateways[gateway]?.callLimits.refusal(named(subject), 'fs__read'))?.outcome ?? 'passed';
  const passed = async (gateway: number, subject: string, tries: number) => {
    const all = await Promise.all(Array.from({ length: tries }, () => outcome(gateway, subject)));
    return all.filter((it) => it === 'passed').length;
  };

  /** Resolves once one gateway heard what the other let through. */
  const heard = (by: number, from: number): Promise<void> =>
    new Promise((resolve) => {
      buses[by]?.listen(limitsSpent, ({ instance, spent }) => {
        if (instance === buses[from]?.instance && spent.length > 0) resolve();
      });
    });

  it('know of each other what was let through', async () => {
    const told = heard(1, 0);
    expect(await passed(0, 'ada', 15)).toBe(15);
    await told;
    expect(await passed(1, 'ada', 100)).toBe(5);
    expect(await outcome(1, 'bob')).toBe('passed');
  });

  it('exceed together by one burst at most, once, when both are asked at the same moment', async () => {
    const told = Promise.all([heard(0, 1), heard(1, 0)]);
    const together = await Promise.all([passed(0, 'ada', 500), passed(1, 'ada', 500)]);
    expect(together).toEqual([burst, burst]);
    await told;
    expect([await passed(0, 'ada', 500), await passed(1, 'ada', 500)]).toEqual([0, 0]);
  });

  it('miss nobody who said goodbye', async () => {
    const goodbye = heard(0, 1);
    await buses[0]?.flush();
    expect(await passed(1, 'ada', 3)).toBe(3);
    gateways[1]?.stopLimits();
    await goodbye;
    expect(await passed(0, 'ada', 100)).toBe(17);
  });

  it('refuse while the other one is not heard, and say that it is not the limit', async () => {
    const told = heard(0, 1);
    expect(await passed(1, 'ada', 1)).toBe(1);
    await told;
    await buses[1]?.close();
    await expect.poll(() => outcome(0, 'bob'), { timeout: 5_000 }).toBe('unavailable');
    expect(await outcome(1, 'bob')).toBe('unavailable');
  });
});

withBothBuses('quotas of two gateways', (connect) => {
  const calls = 200;
  let buses: Bus[];
  let gateways: ReturnType<typeof assembleLimits>[];
  let ledger: Bus;
  let asks: AskOf<typeof takeQuota>[];
  let spent: number;

  beforeEach(async () => {
    const daily = { name: 'daily', per: 'tenant' as const, calls, window_seconds: 86_400 };
    const config = testConfig({ limits: { quotas: [daily] } });
    [spent, asks] = [0, []];
    ledger = await connect('approval-service');
    ledger.answer(takeQuota, (ask) => {
      asks.push(ask);
      return { taken: ask.takes.map(grant) };
    });
    await ledger.flush();
    buses = [await connect('gateway'), await connect('gateway')];
    gateways = buses.map((bus) => assembleLimits({ bus, config, log, replica: { find: () => undefined } }));
    for (const gateway of gateways) gateway.followLimits();
  });
  afterEach(async () => {
    for (const gateway of gateways) gateway.stopLimits();
    await Promise.all([ledger, ...buses].map((bus) => bus.close()));
  });

  function grant({ needed, units, back }: AskOf<typeof takeQuota>['takes'][number]) {
    spent -= back?.units ?? 0;
    const left = calls - spent;
    const granted = Math.min(left, units, Math.max(needed, Math.floor(left / 2)));
    spent += granted;
    return { granted, ends_at: 86_400_000, resets_in_ms: 3_600_000 };
  }
  const ending = async (gateway: number) => gateways[gateway]?.callLimits.refusal(caller, 'fs__read');
  const endings = (gateway: number, count: number) =>
    Promise.all(Array.from({ length: count }, () => ending(gateway)));

  it('let through together exactly what the ledger granted, and tell when the window ends', async () => {
    const all = (await Promise.all([endings(0, 150), endings(1, 150)])).flat();
    expect(all.filter((ending) => ending === undefined)).toHaveLength(calls);
    const [refused] = all.filter((ending) => ending !== undefined);
    expect(refused).toMatchObject({ outcome: 'rate_limited', cause: 'quota daily' });
    expect(refused?.retryAfterMs).toBeGreaterThan(3_590_000);
    expect(asks.length).toBeLessThan(20);
  });

  it('ask once for many calls, and give back at the end what nobody used', async () => {
    await endings(0, 50);
    for (let each = 0; each < 4; each += 1) await endings(0, 1);
    expect(asks).toHaveLength(1);
    gateways[0]?.stopLimits();
    await buses[0]?.drain();
    await expect.poll(() => spent).toBe(54);
  });

  it('refuse while the ledger does not answer, and say that it is not the limit', async () => {
    await ledger.close();
    expect(await ending(0)).toMatchObject({ outcome: 'unavailable', cause: 'quota_unknown daily' });
  });
});
