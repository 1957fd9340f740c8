import { describe, expect, it } from 'vitest';
import { HandClock, settle } from '../call-spec/facts.fixture.js';
import { Lanes, type LaneEntry } from './lanes.js';

const bounds = { atOnce: 2, mostWaiting: 3, waitMs: 5_000 };

function lanes() {
  const clock = new HandClock();
  const all = new Lanes(bounds, clock);
  const told: string[] = [];
  const enter = (name: string, tenant = 'acme'): Promise<LaneEntry> =>
    Promise.resolve(all.enter(tenant)).then((entry) => {
      told.push(`${name} ${entry.kind}`);
      return entry;
    });
  return { clock, enter, told };
}

const leave = (entry: LaneEntry): void => {
  if (entry.kind === 'entered') entry.leave();
};

describe('a lane', () => {
  it('lets so many in at once, the others in their order as those leave', async () => {
    const { enter, told } = lanes();
    const [first, second] = await Promise.all([enter('1'), enter('2')]);
    const third = enter('3');
    void enter('4');
    await settle();
    expect(told).toEqual(['1 entered', '2 entered']);
    leave(second);
    leave(second);
    await settle();
    expect(told).toEqual(['1 entered', '2 entered', '3 entered']);
    leave(await third);
    leave(first);
    await settle();
    expect(told.at(-1)).toBe('4 entered');
  });

  it('turns away what is more than may wait, and says when those that wait will have been served', async () => {
    const { clock, enter } = lanes();
    const [first, second] = await Promise.all([enter('1'), enter('2')]);
    const next = [enter('3'), enter('4')];
    await clock.advance(3_000);
    leave(first);
    leave(second);
    await Promise.all(next);
    for (const name of ['5', '6', '7']) void enter(name);
    const entry = await enter('8');
    // Work took 3 s twice after the 1 s it was taken to need: 2.5 s a round, and four wait for two places.
    expect(entry).toEqual({ kind: 'full', retryAfterMs: 5_000 });
  });

  it('lets nobody wait longer than its bound', async () => {
    const { clock, enter, told } = lanes();
    await Promise.all([enter('1'), enter('2')]);
    const late = enter('3');
    await clock.advance(5_000);
    expect((await late).kind).toBe('full');
    expect(told).toEqual(['1 entered', '2 entered', '3 full']);
  });

  it('holds up no other tenant', async () => {
    const { enter, told } = lanes();
    await Promise.all([enter('1'), enter('2')]);
    for (const name of ['3', '4', '5', '6']) void enter(name);
    await enter('other', 'beta');
    expect(told).toContain('other entered');
    expect(told).toContain('6 full');
  });
});
