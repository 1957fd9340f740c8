import { beforeEach, describe, expect, it } from 'vitest';
import { caller, runId, settle } from '../call-spec/facts.fixture.js';
import { StreamWorld, until } from './stream-world.fixture.js';

describe('the stream desk at the end of a stream', () => {
  let world: StreamWorld;
  beforeEach(() => {
    world = new StreamWorld();
  });

  it('ends the one stream that breaks, whatever broke, and says so once', async () => {
    const other = await world.open();
    world.window.breaks = true;
    const reading = await world.open();
    await settle();
    world.window.breaks = false;
    const writing = await world.open();
    writing.breaks = true;
    world.window.add('run.changed');
    world.window.add('run.changed');
    await settle();
    expect([reading.ended, writing.ended, other.ended]).toEqual(['unavailable', 'unavailable', undefined]);
    expect([world.faults, other.ids, world.desk.size]).toEqual([2, [1, 2], 1]);
  });

  it('ends a stream whose rights cannot be looked at for a fault', async () => {
    const mouth = await world.open();
    world.watched = undefined as never;
    await world.clock.advance(11_000);
    expect([mouth.ended, world.faults]).toEqual(['unavailable', 1]);
  });

  it('ends a stream into which nothing could be sent for a minute', async () => {
    const mouth = await world.open();
    mouth.isFull = true;
    world.window.add('run.changed');
    await world.clock.advance(50_000);
    expect(mouth.ended).toBeUndefined();
    await world.clock.advance(12_000);
    expect(mouth.ended).toBe('too_slow');
    expect([world.desk.size, world.window.followed]).toEqual([0, 0]);
  });

  it('ends with the token of its caller', async () => {
    const mouth = await world.open({ caller: until('ada', world.clock.now() + 5_000), runId });
    await world.clock.advance(4_000);
    expect(mouth.ended).toBeUndefined();
    await world.clock.advance(2_000);
    expect(mouth.ended).toBe('token_expired');
  });

  it('ends within ten seconds when the run is not the caller’s any more', async () => {
    const mouth = await world.open();
    world.watched = { kind: 'not_found' };
    world.allowance = { kind: 'denied' };
    await world.clock.advance(11_000);
    expect(mouth.ended).toBe('not_allowed');
  });

  it('shows no more runs of others once readCalls is lost', async () => {
    const stranger = until('eve', 100_000_000);
    const mouth = await world.open({ caller: stranger });
    world.window.add('run.changed');
    expect(mouth.ids).toEqual([1]);
    world.allowance = { kind: 'denied' };
    await world.clock.advance(11_000);
    world.window.add('run.changed');
    await settle();
    expect([mouth.ids, mouth.ended]).toEqual([[1], undefined]);
  });

  it('bears one look that nobody answers, and ends with the second', async () => {
    const mouth = await world.open();
    world.watched = { kind: 'unavailable', cause: 'ledger' };
    await world.clock.advance(11_000);
    expect(mouth.ended).toBeUndefined();
    await world.clock.advance(11_000);
    expect(mouth.ended).toBe('unavailable');
  });

  it('ends all streams at its close and takes no new one', async () => {
    const mouths = [await world.open(), await world.open()];
    world.desk.close();
    expect(mouths.map(({ ended }) => ended)).toEqual(['stopping', 'stopping']);
    expect((await world.desk.open({ caller, runId })).kind).toBe('unavailable');
  });
});
