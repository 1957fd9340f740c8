import { beforeEach, describe, expect, it } from 'vitest';
import { caller, runId, settle } from '../call-spec/facts.fixture.js';
import { StreamWorld } from './stream-world.fixture.js';

const callId = `call_${'1'.repeat(32)}`;

describe('the stream desk at the end of a run', () => {
  let world: StreamWorld;
  beforeEach(() => {
    world = new StreamWorld();
  });

  it('tells a client that has all of an ended run so, also where it does not know the last event', async () => {
    world.watched = { kind: 'watched', isActive: false };
    world.window.add('call.teleported');
    await world.clock.advance(20_000);
    expect((await world.desk.open({ caller, runId, lastEventId: 1 })).kind).toBe('complete');
    world.window.addText('no json', false);
    expect((await world.desk.open({ caller, runId, lastEventId: 2 })).kind).toBe('admitted');
  });

  it('ends with the run once its last call has ended', async () => {
    const mouth = await world.open();
    world.window.add('call.proposed', true, callId);
    world.window.add('run.ended');
    await settle();
    expect(mouth.ended).toBeUndefined();
    world.window.add('call.ended', true, callId);
    await settle();
    expect(mouth.ended).toBeUndefined();
    await world.clock.advance(1_000);
    expect(mouth.ended).toBe('run_ended');
  });

  it('shows a call of a run as ended once, whoever else notes its end', async () => {
    const mouth = await world.open();
    world.window.add('call.proposed', true, callId);
    world.window.add('call.ended', true, callId);
    world.window.add('call.ended', true, callId);
    world.window.add('call.ended', false, callId);
    world.window.add('call.proposed', true, callId);
    world.window.add('run.ended');
    await world.clock.advance(1_000);
    expect(mouth.types).toEqual(['call.proposed', 'call.ended', 'call.proposed', 'run.ended']);
    expect([mouth.ids, mouth.ended]).toEqual([[1, 2, 5, 6], 'run_ended']);
  });

  it('waits a moment for what the end of the run has overtaken', async () => {
    const mouth = await world.open();
    world.window.add('run.ended');
    await world.clock.advance(500);
    world.window.add('call.proposed', true, callId);
    world.window.add('call.ended', true, callId);
    await world.clock.advance(600);
    expect([mouth.ids, mouth.ended]).toEqual([[1, 2, 3], 'run_ended']);
  });

  it('ends, after minutes, also where the end of a call never comes', async () => {
    const mouth = await world.open();
    world.window.add('call.proposed', true, callId);
    world.window.add('run.ended');
    world.watched = { kind: 'watched', isActive: false };
    await world.clock.advance(299_000);
    expect(mouth.ended).toBeUndefined();
    await world.clock.advance(12_000);
    expect(mouth.ended).toBe('run_ended');
  });
});
