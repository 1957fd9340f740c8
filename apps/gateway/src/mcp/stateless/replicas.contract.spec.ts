import type { Bus, Reply } from '@uar/bus';
import { ApprovalId, CallId, readPresence, resumeCall } from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ParkedAnywhere } from '../../adapters/bus/parked/parked-anywhere.js';
import { caller, HandClock } from '../../domain/call-spec/facts.fixture.js';
import { EndedCalls } from '../../domain/execute/ended-calls.js';
import { ParkedCalls } from '../../domain/approval/parked-calls.js';

const ask = {
  ...{ caller, callId: CallId.parse(`call_${'a'.repeat(32)}`), waitMs: 60_000, declared: {} },
  ...{ approvalId: ApprovalId.parse(`appr_${'b'.repeat(32)}`), onCancel: () => undefined },
};

withBothBuses('a call that another gateway holds', (connect) => {
  let bus: Bus;
  let holder: Bus;
  let clock: HandClock;
  let parked: ParkedAnywhere;
  let asked: Promise<void>;
  let answer: () => void;
  beforeEach(async () => {
    bus = await connect('gateway');
    clock = new HandClock();
    holder = await connect('gateway');
    const here = new ParkedCalls({
      ...{ running: () => undefined, ended: new EndedCalls(), clock },
      leave: () => Promise.reject(new Error('nobody leaves here')),
    });
    parked = new ParkedAnywhere({ bus, here, clock, hosts: { onProgress: () => () => undefined } });
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
      await look();
      return { present: true };
    });

  /** The watching gateway looks once, and has been answered when this is. */
  async function look(): Promise<Reply<typeof readPresence>> {
    await clock.advance(2_000);
    return bus.ask(readPresence, {}, { to: holder.instance });
  }

  it('is waited for as long as its gateway is there, though it was silent for a moment', async () => {
    let isSilent = true;
    looking(() => (isSilent ? new Promise(() => undefined) : Promise.resolve()));
    await holder.flush();
    const resumed = parked.resume(ask, holder.instance);
    await asked;
    for (let n = 0; n < 2; n += 1) expect(await look()).toMatchObject({ fault: 'timed_out' });
    isSilent = false;
    expect(await look()).toMatchObject({ kind: 'answered' });
    answer();
    expect(await resumed).toEqual({ kind: 'unknown' });
  });

  it('is waited for no longer when its gateway dies', async () => {
    looking(() => Promise.resolve());
    await holder.flush();
    let isWaiting = true;
    const resumed = parked.resume(ask, holder.instance).finally(() => {
      isWaiting = false;
    });
    await asked;
    await holder.close();
    expect(await look()).toMatchObject({ fault: 'no_responders' });
    expect(isWaiting).toBe(true);
    await look();
    expect(await resumed).toEqual({ kind: 'unavailable' });
    expect(await parked.resume(ask, holder.instance)).toEqual({ kind: 'unknown' });
  });
});
