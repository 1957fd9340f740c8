import { beforeEach, describe, expect, it } from 'vitest';
import { caller, runId, settle } from '../call-spec/facts.fixture.js';
import { StreamWorld, until } from './stream-world.fixture.js';

describe('the stream desk', () => {
  let world: StreamWorld;
  beforeEach(() => {
    world = new StreamWorld();
  });

  it('shows what is kept and then what comes, each once and in order', async () => {
    for (let n = 0; n < 7; n += 1) world.window.add('run.changed');
    const mouth = await world.open();
    expect(mouth.ids).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const { reads } = world.window;
    world.window.add('run.changed');
    expect(mouth.ids.at(-1)).toBe(8);
    expect(world.window.reads).toBe(reads);
  });

  it('reads what it did not hear of, with the next news or within ten seconds', async () => {
    const mouth = await world.open();
    world.window.add('run.changed', false);
    world.window.add('run.changed');
    await settle();
    expect(mouth.ids).toEqual([1, 2]);
    world.window.add('run.changed', false);
    await world.clock.advance(12_000);
    expect(mouth.ids).toEqual([1, 2, 3]);
  });

  it.each([true, false])('shows as a gap what a newer writer notes, and goes on (told: %s)', async (told) => {
    const mouth = await world.open();
    world.window.add('run.changed', told);
    world.window.add('call.teleported', told);
    world.window.addText('no json', told);
    world.window.addText('[null]', told);
    world.window.add('run.changed');
    await settle();
    expect(mouth.types).toEqual(['run.changed', 'gap', 'run.changed']);
    expect(mouth.ids).toEqual([1, 2, 5]);
    expect([mouth.ended, world.faults]).toEqual([undefined, 0]);
  });

  it('sends nothing into a full way, keeps nothing for it, and goes on where it stopped', async () => {
    const mouth = await world.open();
    world.window.add('run.changed');
    mouth.isFull = true;
    const { reads } = world.window;
    for (let n = 0; n < 50; n += 1) world.window.add('run.changed');
    await settle();
    expect([mouth.ids, world.window.reads]).toEqual([[1], reads]);
    mouth.drain();
    await settle();
    expect(mouth.ids).toEqual(Array.from({ length: 51 }, (_, n) => n + 1));
  });

  it('waits for a ledger that is away, and loses nothing', async () => {
    const mouth = await world.open();
    world.window.answers = false;
    world.window.add('run.changed', false);
    world.window.add('run.changed');
    await settle();
    expect(mouth.ids).toEqual([]);
    world.window.answers = true;
    await world.clock.advance(1_000);
    expect(mouth.ids).toEqual([1, 2]);
  });

  it('takes 32 streams of one principal and 1,000 in all', async () => {
    const mouths = await Promise.all(Array.from({ length: 32 }, () => world.open()));
    expect((await world.desk.open({ caller, runId })).kind).toBe('limited');
    for (let n = 0; n < 968; n += 1) await world.open({ caller: until(`p${n}`, 100_000_000), runId });
    expect((await world.desk.open({ caller: until('last', 100_000_000), runId })).kind).toBe('limited');
    mouths[0]?.close();
    expect((await world.desk.open({ caller: until('last', 100_000_000), runId })).kind).toBe('admitted');
  });

  it('gives the place of a refused stream back', async () => {
    world.watched = { kind: 'not_found' };
    world.allowance = { kind: 'denied' };
    for (let n = 0; n < 40; n += 1) expect((await world.desk.open({ caller, runId })).kind).toBe('not_found');
  });

  it('lets holders of readCalls into a run that nobody opened, where there is one', async () => {
    world.watched = { kind: 'not_found' };
    expect((await world.desk.open({ caller, runId })).kind).toBe('not_found');
    world.window.add('run.changed');
    expect((await world.desk.open({ caller, runId })).kind).toBe('admitted');
  });
});
