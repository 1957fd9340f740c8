import type { Bus } from '@uar/bus';
import { ApprovalId, CallId, readPresence, resumeCall } from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ParkedAnywhere } from '../../adapters/bus/parked/parked-anywhere.js';
import { caller } from '../../domain/call-spec/facts.fixture.js';
import { EndedCalls } from '../../domain/execute/ended-calls.js';
import { ParkedCalls } from '../../domain/approval/parked-calls.js';
import { systemClock } from '../../adapters/clock.js';

const ask = {
  ...{ caller, callId: CallId.parse(`call_${'a'.repeat(32)}`), waitMs: 60_000, declared: {} },
  ...{ approvalId: ApprovalId.parse(`appr_${'b'.repeat(32)}`), onCancel: () => undefined },
};

withBothBuses('a call that another gateway holds', (connect) => {
  let holder: Bus;
  let parked: ParkedAnywhere;
  let looks: number;
  let asked: Promise<void>;
  let answer: () => void;
  beforeEach(async () => {
    const bus = await connect('gateway');
    holder = await connect('gateway');
    const here = new ParkedCalls({
      ...{ running: () => undefined, ended: new EndedCalls(), clock: systemClock },
      leave: () => Promise.reject(new Error('nobody leaves here')),
    });
    parked = new ParkedAnywhere({ bus, here, hosts: { onProgress: () => () => undefined } });
    looks = 0;
    const held = new Promise<{ kind: 'unknown' }>((resolve) => {
      answer = () => resolve({ kind: 'unknown' });
    });
    asked = new Promise((resolve) => {
      holder.answer(resumeCall, () => {
        resolve();
        return held;
      });
    });
  });
  afterEach(() => holder.close());

  const looking = (look: () => Promise<void>) =>
    holder.answer(readPresence, async () => {
      looks += 1;
      await look();
      return { present: true };
    });

  it('is waited for as long as its gateway is there, though it was silent for a moment', async () => {
    const never = new Promise<void>(() => undefined);
    looking(() => {
      if (looks === 3) answer();
      return looks < 3 ? never : Promise.resolve();
    });
    await holder.flush();
    expect(await parked.resume(ask, holder.instance)).toEqual({ kind: 'unknown' });
    expect(looks).toBe(3);
  });

  it('is waited for no longer when its gateway dies', async () => {
    looking(() => Promise.resolve());
    await holder.flush();
    const resumed = parked.resume(ask, holder.instance);
    await asked;
    await holder.close();
    const diedAt = performance.now();
    expect(await resumed).toEqual({ kind: 'unavailable' });
    expect(performance.now() - diedAt).toBeLessThan(8_000);
    expect(await parked.resume(ask, holder.instance)).toEqual({ kind: 'unknown' });
  });
});
