import { describe, expect, it } from 'vitest';
import { UarConfig } from './index.js';

const rate = { name: 'calls', per: 'principal', calls: 60, window_seconds: 60 };
const problemsOf = (...rates: object[]) => {
  const parsed = UarConfig.safeParse({ limits: { rates } });
  return parsed.success ? [] : parsed.error.issues.map(({ message }) => message);
};

describe('limits.rates', () => {
  it('are none by default, and fail closed', () => {
    expect(UarConfig.parse({}).limits.rates).toEqual([]);
    const { rates } = UarConfig.parse({ limits: { rates: [rate] } }).limits;
    expect(rates).toEqual([{ ...rate, fail: 'closed' }]);
  });

  it('take what may narrow them', () => {
    const match = { tools: ['fs__*'], tenants: ['acme'] };
    expect(problemsOf({ ...rate, burst: 5, match, fail: 'open' })).toEqual([]);
  });

  it('refuse two of one name, a window that a restart would cut short, and what is no rate', () => {
    expect(problemsOf(rate, rate)).toEqual(['two rates have the same name']);
    expect(problemsOf({ ...rate, window_seconds: 86_400 })).toEqual([
      'must be at most 3600: a rate does not outlive a restart, use limits.quotas',
    ]);
    for (const bad of [
      { calls: 0 },
      { calls: 1.5 },
      { per: 'ip' },
      { burst: 0 },
      { name: 'A b' },
      { tokens: 1 },
    ])
      expect(problemsOf({ ...rate, ...bad })).toHaveLength(1);
  });
});

describe('limits.quotas', () => {
  const daily = { name: 'daily', per: 'principal', calls: 1_000, window_seconds: 86_400 };
  const quotaProblems = (...quotas: object[]) => {
    const parsed = UarConfig.safeParse({ limits: { quotas } });
    return parsed.success ? [] : parsed.error.issues.map(({ message }) => message);
  };

  it('are none by default, and fail closed', () => {
    expect(UarConfig.parse({}).limits.quotas).toEqual([]);
    expect(UarConfig.parse({ limits: { quotas: [daily] } }).limits.quotas).toEqual([
      { ...daily, fail: 'closed' },
    ]);
  });

  it('last from a minute to 31 days', () => {
    expect(quotaProblems({ ...daily, window_seconds: 60 })).toEqual([]);
    expect(quotaProblems({ ...daily, window_seconds: 31 * 86_400 })).toEqual([]);
    expect(quotaProblems({ ...daily, window_seconds: 59 })).toEqual([
      'must be at least 60: what is shorter is a rate, use limits.rates',
    ]);
    expect(quotaProblems({ ...daily, window_seconds: 32 * 86_400 })).toEqual([
      'must be at most 2678400 (31 days)',
    ]);
  });

  it('refuse two of one name, and what is no quota', () => {
    expect(quotaProblems(daily, daily)).toEqual(['two quotas have the same name']);
    for (const bad of [{ calls: 0 }, { per: 'ip' }, { burst: 5 }, { name: 'A b' }])
      expect(quotaProblems({ ...daily, ...bad })).toHaveLength(1);
  });
});
