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
      'must be at most 3600: a longer quota would not outlive a restart',
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
