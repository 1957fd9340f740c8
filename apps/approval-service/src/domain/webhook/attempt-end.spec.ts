import { describe, expect, it } from 'vitest';
import { attemptEnd } from './attempt-end.js';

const now = Date.parse('2026-11-30T12:00:00.000Z');
const answered = (status: number, retryAfter?: string) =>
  ({ kind: 'answered', status, ...(retryAfter === undefined ? {} : { retryAfter }) }) as const;
const end = (reception: Parameters<typeof attemptEnd>[0], attempts = 1, chance = 0.5) =>
  attemptEnd(reception, { attempts, now, chance });
const waitMs = (of: ReturnType<typeof end>) => (of.kind === 'again' ? of.at - now : of.kind);

describe('the end of an attempt', () => {
  it.each([200, 202, 204, 299])('is a delivery at %i', (status) => {
    expect(end(answered(status))).toEqual({ kind: 'delivered' });
  });

  it.each([400, 401, 403, 404, 410, 413, 422])('is final at %i', (status) => {
    expect(end(answered(status))).toEqual({ kind: 'dead', problem: `answered ${status}` });
  });

  it.each([301, 302, 307, 308, 408, 429, 500, 502, 503])('comes back after %i', (status) => {
    expect(end(answered(status))).toMatchObject({ kind: 'again', problem: `answered ${status}` });
  });

  it('backs off to a quarter of an hour, and gives up after ten attempts in about an hour', () => {
    const failed = { kind: 'failed', problem: 'no answer in time' } as const;
    const waits = Array.from({ length: 9 }, (_, index) => waitMs(end(failed, index + 1)));
    expect(waits).toEqual([1_000, 3_000, 9_000, 27_000, 81_000, 243_000, 729_000, 900_000, 900_000]);
    const total = waits.reduce<number>((sum, wait) => sum + Number(wait), 0);
    expect(total / 60_000).toBeGreaterThan(40);
    expect(total / 60_000).toBeLessThan(75);
    expect(end(failed, 10)).toEqual({ kind: 'dead', problem: 'no answer in time' });
  });

  it('spreads what comes back by a fifth either way', () => {
    expect(waitMs(end(answered(500), 3, 0))).toBe(7_200);
    expect(waitMs(end(answered(500), 3, 0.999))).toBeGreaterThan(10_700);
  });

  it.each([
    ['120', 120_000],
    ['Mon, 30 Nov 2026 12:01:00 GMT', 60_000],
    ['0', 1_000],
    ['86400', 900_000],
    ['Mon, 30 Nov 2020 12:01:00 GMT', 1_000],
    ['soon', 1_000],
    ['-5', 1_000],
  ])('waits at least as long as Retry-After %s asks, within bounds', (retryAfter, expected) => {
    expect(waitMs(end(answered(503, retryAfter)))).toBe(expected);
  });
});
