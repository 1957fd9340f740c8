import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QuotaLeases, type QuotaLedger, type QuotaTake, type QuotaTaken } from './quota-leases.js';
import { QuotaLimits, type QuotaAdmission } from './quota-limits.js';
import { Quota, type QuotaRule } from './quota.js';
import type { LimitedCall } from './limit-scope.js';

const ada: LimitedCall = { tenant: 'a', principal: 'User::"a/ada"', tool: 'fs__read' };
const bob: LimitedCall = { ...ada, principal: 'User::"a/bob"' };
const windowMs = 60_000;

function quota(change: Partial<QuotaRule> = {}): Quota {
  return new Quota({ ...{ name: 'some', per: 'principal', calls: 3, windowMs, fail: 'closed' }, ...change });
}

/** Clock and ledger of some gateways; the ledger counts as the real one does. */
class World {
  now = 1_000;
  away = false;
  asks: QuotaTake[][] = [];
  private readonly spent = new Map<string, { endsAt: number; units: number }>();

  readonly ledger: QuotaLedger = {
    take: async (takes) => {
      this.asks.push([...takes]);
      await Promise.resolve();
      return this.away ? undefined : takes.map((take) => this.take(take));
    },
  };

  gateway(quotas: readonly Quota[]) {
    const leases = new QuotaLeases({ ledger: this.ledger, now: () => this.now });
    const limits = new QuotaLimits({ quotas, leases, isKnownTool: (_tenant, tool) => tool !== 'invented' });
    const admit = async (call: LimitedCall): Promise<QuotaAdmission> =>
      (await limits.admit(call)) ?? { kind: 'admitted' };
    const kinds = async (call: LimitedCall, count: number) =>
      (await Promise.all(Array.from({ length: count }, () => admit(call)))).map(({ kind }) => kind);
    return { admit, kinds, leases };
  }

  private take(take: QuotaTake): QuotaTaken {
    const place = `${take.quota} ${take.bucket}`;
    const endsAt = (Math.floor(this.now / take.window_ms) + 1) * take.window_ms;
    const before = this.spent.get(place);
    const kept = before?.endsAt === endsAt ? before.units : 0;
    const units = kept - (take.back?.ends_at === endsAt ? take.back.units : 0);
    const left = Math.max(0, take.calls - units);
    const granted = Math.min(left, take.units, Math.max(take.needed, Math.floor(left / 2)));
    this.spent.set(place, { endsAt, units: units + granted });
    return { granted, ends_at: endsAt, resets_in_ms: endsAt - this.now };
  }
}

describe('a quota', () => {
  it('lets as many pass as it has, of any number at once, and names the wait until the next window', async () => {
    const world = new World();
    const { admit, kinds } = world.gateway([quota()]);
    expect(await kinds(ada, 5)).toEqual(['admitted', 'admitted', 'admitted', 'spent', 'spent']);
    expect(await admit(ada)).toEqual({ kind: 'spent', quota: 'some', retryAfterMs: windowMs - 1_000 });
    expect((await admit(bob)).kind).toBe('admitted');
    world.now = windowMs - 1;
    expect(await admit(ada)).toEqual({ kind: 'spent', quota: 'some', retryAfterMs: 1 });
    world.now = windowMs;
    expect(await kinds(ada, 4)).toEqual(['admitted', 'admitted', 'admitted', 'spent']);
  });

  it('asks the ledger once for the calls of a turn and for calls to come, and not for each that is refused', async () => {
    const world = new World();
    const { kinds } = world.gateway([quota({ calls: 1_000 })]);
    await kinds(ada, 10);
    await kinds(ada, 20);
    expect(world.asks).toMatchObject([[{ needed: 10, units: 30 }]]);
    await kinds(ada, 2_000);
    const before = world.asks.length;
    expect(new Set(await kinds(ada, 2_000))).toEqual(new Set(['spent']));
    expect(world.asks.length).toBe(before);
  });

  it('takes from every quota that covers a call or from none, and names the longest wait', async () => {
    const world = new World();
    const { admit } = world.gateway([
      quota({ name: 'wide', per: 'tenant', calls: 3, windowMs: 10 * windowMs }),
      quota({ name: 'own', calls: 2 }),
    ]);
    expect([(await admit(ada)).kind, (await admit(ada)).kind]).toEqual(['admitted', 'admitted']);
    expect(await admit(ada)).toMatchObject({ kind: 'spent', quota: 'own' });
    expect((await admit(bob)).kind).toBe('admitted');
    expect(await admit(bob)).toMatchObject({ kind: 'spent', quota: 'wide' });
  });

  it('counts only what it is about, and every invented name as one', async () => {
    const world = new World();
    const { admit } = world.gateway([quota({ calls: 1, tools: ['fs__w*', 'invented'], per: 'tool' })]);
    const kindOf = async (tool: string) => (await admit({ ...ada, tool })).kind;
    expect([await kindOf('fs__read'), await kindOf('fs__read')]).toEqual(['admitted', 'admitted']);
    expect([await kindOf('fs__write'), await kindOf('fs__write')]).toEqual(['admitted', 'spent']);
    expect(await kindOf('invented')).toBe('admitted');
    expect(world.asks.flat().map(({ bucket }) => bucket)).not.toContain('invented');
  });

  it('refuses while the ledger is away where it fails closed, lets pass where it fails open', async () => {
    const world = new World();
    world.away = true;
    expect(await world.gateway([quota()]).kinds(ada, 2)).toEqual(['unknown', 'unknown']);
    expect(await world.gateway([quota({ fail: 'open' })]).kinds(ada, 9)).toEqual(Array(9).fill('admitted'));
    world.away = false;
    expect(await world.gateway([quota()]).kinds(ada, 1)).toEqual(['admitted']);
  });

  it('is refused when it counts in anything but whole amounts', () => {
    expect(() => quota({ calls: 0 })).toThrow('no amount');
    expect(() => quota({ windowMs: 1.5 })).toThrow('no amount');
  });
});

describe('leases of a quota', () => {
  it('are given back without use and at the end: another gateway has them then', async () => {
    const world = new World();
    const [one, two] = [world.gateway([quota({ calls: 100 })]), world.gateway([quota({ calls: 100 })])];
    await one.kinds(ada, 1);
    expect((await two.kinds(ada, 100)).filter((kind) => kind === 'admitted')).toHaveLength(97);
    world.now += 2_000;
    one.leases.sweep();
    expect(await two.kinds(ada, 3)).toEqual(['admitted', 'admitted', 'spent']);
    await one.kinds(bob, 1);
    one.leases.stop();
    expect((await two.kinds(bob, 100)).filter((kind) => kind === 'admitted')).toHaveLength(99);
  });

  it('are worth nothing in the next window', async () => {
    const world = new World();
    const { kinds, leases } = world.gateway([quota({ calls: 100 })]);
    await kinds(ada, 1);
    world.now = windowMs;
    leases.stop();
    expect((await kinds(ada, 200)).filter((kind) => kind === 'admitted')).toHaveLength(100);
  });

  it('let gateways together never pass more than the quota in a window, and all of it in the end', async () => {
    const steps = fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 9 }), fc.nat(3_000)), {
      minLength: 20,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200 }), steps, async (calls, falls) => {
        const world = new World();
        const gateways = [0, 1, 2].map(() => world.gateway([quota({ calls })]));
        const passed = new Map<number, number>();
        for (const [at, count, gap] of falls) {
          const window = Math.floor(world.now / windowMs);
          const kinds = (await gateways[at]?.kinds(ada, count)) ?? [];
          const sum = (passed.get(window) ?? 0) + kinds.filter((kind) => kind === 'admitted').length;
          passed.set(window, sum);
          expect(sum).toBeLessThanOrEqual(calls);
          world.now += gap;
          for (const { leases } of gateways) leases.sweep();
        }
        for (const { leases } of gateways) leases.stop();
        const sum = passed.get(Math.floor(world.now / windowMs)) ?? 0;
        const rest = (await gateways[0]?.kinds(ada, calls + 1)) ?? [];
        expect(sum + rest.filter((kind) => kind === 'admitted').length).toBe(calls);
      }),
      { numRuns: 60 },
    );
  });
});
