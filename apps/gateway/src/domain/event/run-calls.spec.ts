import { describe, expect, it } from 'vitest';
import { RunCalls } from './run-calls.js';
import type { ShownEvent } from './shown-events.js';

const event = (type: ShownEvent['type'], callId?: string): ShownEvent => ({
  ...{ id: 1, type, at: 1, dataJson: '{}' },
  callId,
});

describe('the calls of a run stream', () => {
  it('are remembered up to a bound: of so many, the oldest are forgotten', () => {
    const calls = new RunCalls();
    for (let n = 0; n < 20_000; n += 1) {
      expect(calls.admits(event('call.proposed', `open-${n}`))).toBe(true);
      expect(calls.admits(event('call.ended', `ended-${n}`))).toBe(true);
    }
    expect(calls.open).toBe(10_000);
    expect(calls.admits(event('call.ended', 'ended-19999'))).toBe(false);
    expect(calls.admits(event('call.ended', 'ended-0'))).toBe(true);
  });

  it('say nothing about events of no call', () => {
    const calls = new RunCalls();
    expect(calls.admits(event('run.ended'))).toBe(true);
    expect(calls.open).toBe(0);
  });
});
