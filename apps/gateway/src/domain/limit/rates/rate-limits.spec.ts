import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rate, type RateRule } from './rate.js';
import { RateLimits } from './rate-limits.js';
import type { LimitedCall } from '../limit-scope.js';

const ada: LimitedCall = { tenant: 'a', principal: 'User::"a/ada"', tool: 'fs__read' };
const bob: LimitedCall = { ...ada, principal: 'User::"a/bob"' };

function rate(change: Partial<RateRule> = {}): Rate {
  const calls = change.calls ?? 3;
  return new Rate({
    ...{ name: 'some', per: 'principal', calls, windowMs: 1_000, burst: calls, fail: 'closed' },
    ...change,
  });
}

class Clock {
  now = 5;
  isInformed = true;

  limits(rates: readonly Rate[], mostBuckets = 1_000): RateLimits {
    return new RateLimits({
      rates,
      mostBuckets,
      now: () => this.now,
      isInformed: () => this.isInformed,
    });
  }
}

describe('a rate', () => {
  it('lets the burst pass at once, then says how long to wait, and waiting that long is enough', () => {
    const clock = new Clock();
    const limits = clock.limits([rate()]);
    const kinds = [1, 2, 3].map(() => limits.admit(ada).kind);
    expect(kinds).toEqual(['admitted', 'admitted', 'admitted']);
    expect(limits.admit(ada)).toEqual({ kind: 'limited', rate: 'some', retryAfterMs: 334 });
    clock.now += 333;
    expect(limits.admit(ada)).toEqual({ kind: 'limited', rate: 'some', retryAfterMs: 1 });
    clock.now += 1;
    expect(limits.admit(ada)).toEqual({ kind: 'admitted' });
    expect(limits.admit(ada).kind).toBe('limited');
  });

  it('lets 1,000 calls at once pass as many as fit and not one more', () => {
    const limits = new Clock().limits([rate({ calls: 100, windowMs: 60_000 })]);
    const passed = Array.from({ length: 1_000 }, () => limits.admit(ada)).filter(
      ({ kind }) => kind === 'admitted',
    );
    expect(passed.length).toBe(100);
  });

  it('does not disturb others', () => {
    const limits = new Clock().limits([rate({ calls: 1 })]);
    expect([limits.admit(ada).kind, limits.admit(ada).kind, limits.admit(bob).kind]).toEqual([
      ...['admitted', 'limited', 'admitted'],
    ]);
  });

  it('agrees with a bucket that drains millisecond by millisecond, and its wait is the shortest that is enough', () => {
    const amount = fc.integer({ min: 1, max: 7 });
    const waits = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 60 });
    fc.assert(
      fc.property(amount, amount, fc.integer({ min: 1, max: 50 }), waits, (...given) => {
        const [calls, burst, windowMs, gaps] = given;
        const clock = new Clock();
        const limits = clock.limits([rate({ calls, burst, windowMs })]);
        let level = 0;
        for (const gap of gaps) {
          clock.now += gap;
          for (let each = 0; each < gap; each += 1) level = Math.max(0, level - calls);
          const admission = limits.admit(ada);
          const fits = level + windowMs <= burst * windowMs;
          expect(admission.kind).toBe(fits ? 'admitted' : 'limited');
          if (fits) level += windowMs;
          if (admission.kind !== 'limited') continue;
          const left = (ms: number) => Math.max(0, level - ms * calls) + windowMs <= burst * windowMs;
          expect([left(admission.retryAfterMs), left(admission.retryAfterMs - 1)]).toEqual([true, false]);
        }
      }),
    );
  });

  it('takes from every rate that covers a call or from none, and names the longest wait', () => {
    const clock = new Clock();
    const limits = clock.limits([
      rate({ name: 'wide', per: 'tenant', calls: 2, windowMs: 10_000 }),
      rate({ name: 'own', calls: 1, windowMs: 1_000 }),
    ]);
    expect(limits.admit(ada).kind).toBe('admitted');
    expect(limits.admit(ada)).toEqual({ kind: 'limited', rate: 'own', retryAfterMs: 1_000 });
    expect(limits.admit(bob).kind).toBe('admitted');
    expect(limits.admit(bob)).toEqual({ kind: 'limited', rate: 'wide', retryAfterMs: 5_000 });
  });

  it('has a bucket per what it is for', () => {
    const other = { ...ada, tool: 'fs__write' };
    const elsewhere = { ...ada, tenant: 'b' };
    const second = (per: RateRule['per'], call: LimitedCall) => {
      const limits = new Clock().limits([rate({ per, calls: 1 })]);
      limits.admit(ada);
      return limits.admit(call).kind;
    };
    const of = (per: RateRule['per']) => [bob, other, elsewhere].map((call) => second(per, call));
    expect(of('principal')).toEqual(['admitted', 'limited', 'admitted']);
    expect(of('tool')).toEqual(['limited', 'admitted', 'admitted']);
    expect(of('tenant')).toEqual(['limited', 'limited', 'admitted']);
    expect(of('principal_tool')).toEqual(['admitted', 'admitted', 'admitted']);
  });

  it('counts only what it is about', () => {
    const limits = new Clock().limits([rate({ calls: 1, tools: ['fs__w*'], tenants: ['a'] })]);
    const kinds = (call: LimitedCall) => [limits.admit(call).kind, limits.admit(call).kind];
    expect(kinds(ada)).toEqual(['admitted', 'admitted']);
    expect(kinds({ ...ada, tool: 'fs__write' })).toEqual(['admitted', 'limited']);
    expect(kinds({ ...ada, tool: 'fs__write', tenant: 'b' })).toEqual(['admitted', 'admitted']);
    expect(limits.buckets).toBe(1);
  });

  it('is refused when it counts in anything but whole amounts', () => {
    expect(() => rate({ calls: 0 })).toThrow('no amount');
    expect(() => rate({ burst: 1.5 })).toThrow('no amount');
  });
});

describe('memory of rates', () => {
  it('is bounded: the bucket used least recently makes room', () => {
    const limits = new Clock().limits([rate({ calls: 1 })], 2);
    const call = (name: string) => limits.admit({ ...ada, principal: name }).kind;
    expect(['x', 'y', 'x', 'z'].map(call)).toEqual(['admitted', 'admitted', 'limited', 'admitted']);
    expect(limits.buckets).toBe(2);
    expect(call('x')).toBe('limited');
    expect(call('y')).toBe('admitted');
  });
});

describe('rates of several gateways', () => {
  it('take off what others let through, told once; together they exceed by one burst at most and make up for it', () => {
    const clock = new Clock();
    const [one, two] = [clock.limits([rate()]), clock.limits([rate()])];
    for (const limits of [one, two]) for (let each = 0; each < 5; each += 1) limits.admit(ada);
    const [first, second] = [one.takeSpent(), two.takeSpent()];
    expect(first).toMatchObject([{ rate: 'some', calls: 3 }]);
    expect(one.takeSpent()).toEqual([]);
    one.merge(second);
    two.merge(first);
    clock.now += 1_000;
    expect([one.admit(ada).kind, two.admit(ada).kind]).toEqual(['limited', 'limited']);
    clock.now += 334;
    expect(one.admit(ada).kind).toBe('admitted');
    two.merge(one.takeSpent());
    expect(two.admit(ada).kind).toBe('limited');
  });

  it('keep together to the stated bound, however calls fall', () => {
    const lagMs = 400;
    const gaps = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 2 })), {
      minLength: 50,
      maxLength: 300,
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 20 }),
        gaps,
        (calls, burst, falls) => {
          const clock = new Clock();
          const replicas = [0, 1, 2].map(() => clock.limits([rate({ calls, burst })]));
          const startedAt = clock.now;
          let passed = 0;
          let toldAt = clock.now;
          for (const [gap, at] of falls) {
            clock.now += gap;
            if (clock.now - toldAt >= lagMs - 30) {
              toldAt = clock.now;
              const told = replicas.map((limits) => limits.takeSpent());
              replicas.forEach((limits, own) =>
                told.forEach((spent, other) => own !== other && limits.merge(spent)),
              );
            }
            if (replicas[at]?.admit(ada).kind === 'admitted') passed += 1;
            const fair = burst + ((clock.now - startedAt) * calls) / 1_000;
            expect(passed).toBeLessThanOrEqual(fair + 2 * (burst + (calls * lagMs) / 1_000));
          }
        },
      ),
    );
  });

  it('ignore what is told of a rate that they do not have', () => {
    const limits = new Clock().limits([rate({ calls: 1 })]);
    limits.merge([{ rate: 'other', bucket: 'b', calls: 9 }]);
    expect([limits.buckets, limits.admit(ada).kind]).toEqual([0, 'admitted']);
  });

  it('refuse while another one is not heard where the rate fails closed, and count alone where it fails open', () => {
    const clock = new Clock();
    const closed = clock.limits([rate()]);
    const open = clock.limits([rate({ fail: 'open', calls: 1 })]);
    clock.isInformed = false;
    expect(closed.admit(ada)).toEqual({ kind: 'unknown', rate: 'some' });
    expect([open.admit(ada).kind, open.admit(ada).kind]).toEqual(['admitted', 'limited']);
    clock.isInformed = true;
    expect(closed.admit(ada).kind).toBe('admitted');
  });
});
