import { describe, expect, it } from 'vitest';
import { neverAhead } from './never-ahead.js';

const yearMs = 365 * 86_400_000;

describe('a clock that is never ahead', () => {
  it('goes with both, not with a wall clock that is set forward, but with one that is set back', () => {
    let wall = 1_000_000;
    let passed = 50;
    const clock = neverAhead({ now: () => wall }, () => passed);
    expect(clock.now()).toBe(1_000_000);
    wall += 300;
    passed += 300;
    expect(clock.now()).toBe(1_000_300);
    wall += yearMs;
    expect(clock.now()).toBe(1_000_300);
    passed += 100;
    expect(clock.now()).toBe(1_000_400);
    wall = 900_000;
    expect(clock.now()).toBe(900_000);
  });
});
