import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SharedLead, type LeadRow, type LeadStore } from './shared-lead.js';

/** One row as a ledger keeps it: a removed one goes on counting its revisions. */
class Row implements LeadStore {
  revision = 0;
  holder: string | undefined;
  isDown = false;

  read(): Promise<LeadRow | undefined> {
    if (this.isDown) return Promise.reject(new Error('down'));
    const { holder, revision } = this;
    return Promise.resolve(holder === undefined ? undefined : { holder, revision });
  }

  take(holder: string, ifRevision: number): Promise<boolean> {
    if (this.isDown) return Promise.reject(new Error('down'));
    if ((this.holder === undefined ? 0 : this.revision) !== ifRevision) return Promise.resolve(false);
    this.holder = holder;
    this.revision += 1;
    return Promise.resolve(true);
  }

  giveBack(ifRevision: number): Promise<void> {
    if (this.holder !== undefined && this.revision === ifRevision) {
      this.holder = undefined;
      this.revision += 1;
    }
    return Promise.resolve();
  }
}

/** Processes on one row and one clock; a frozen one misses its timers until it goes on. */
class World {
  now = 0;
  readonly row = new Row();
  readonly told: string[] = [];
  private readonly timers = new Map<string, { at: number; listener: () => void }>();
  private readonly frozen = new Set<string>();
  readonly unfit = new Set<string>();
  readonly leads = new Map<string, SharedLead>();

  add(name: string): SharedLead {
    const lead = new SharedLead({
      store: this.row,
      holder: name,
      isFit: () => !this.unfit.has(name),
      now: () => this.now,
      after: (ms, listener) => {
        this.timers.set(name, { at: this.now + ms, listener });
        return () => this.timers.delete(name);
      },
      changed: (leads) => this.told.push(`${name} ${leads ? 'leads' : 'follows'}`),
      troubled: () => undefined,
    });
    this.leads.set(name, lead);
    return lead;
  }

  freeze(name: string): void {
    this.frozen.add(name);
  }

  thaw(name: string): void {
    this.frozen.delete(name);
  }

  leaders(): string[] {
    return [...this.leads].flatMap(([name, lead]) => (lead.leads() ? [name] : []));
  }

  /** Steps of 100 ms; the most leaders there were at once is answered. */
  async pass(ms: number): Promise<number> {
    let most = 0;
    for (const end = this.now + ms; this.now < end;) {
      this.now += 100;
      for (const [name, timer] of [...this.timers])
        if (timer.at <= this.now && !this.frozen.has(name)) {
          this.timers.delete(name);
          timer.listener();
        }
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, this.leaders().length);
    }
    return most;
  }
}

async function two(): Promise<World> {
  const world = new World();
  await world.add('a').start();
  await world.add('b').start();
  return world;
}

describe('the lead', () => {
  it('is had at once by the first, and kept', async () => {
    const world = await two();
    expect(world.leaders()).toEqual(['a']);
    expect(await world.pass(60_000)).toBe(1);
    expect(world.leaders()).toEqual(['a']);
    expect(world.told).toEqual(['a leads']);
  });

  it('goes on at once when its holder stops in order', async () => {
    const world = await two();
    await world.leads.get('a')?.stop();
    expect(world.leaders()).toEqual([]);
    await world.pass(600);
    expect(world.leaders()).toEqual(['b']);
  });

  it('is taken over within four seconds from one that is frozen, which finds out when it goes on', async () => {
    const world = await two();
    world.freeze('a');
    await world.pass(2_000);
    expect(world.leaders()).toEqual([]);
    await world.pass(2_000);
    expect(world.leaders()).toEqual(['b']);
    world.thaw('a');
    expect(await world.pass(10_000)).toBe(1);
    expect(world.leaders()).toEqual(['b']);
    expect(world.told).toEqual(['a leads', 'b leads', 'a follows']);
  });

  it('passes from one that cannot do what a leader does, and stays where it is then', async () => {
    const world = await two();
    world.unfit.add('a');
    expect(await world.pass(4_000)).toBe(1);
    expect(world.leaders()).toEqual(['b']);
    world.unfit.delete('a');
    expect(await world.pass(10_000)).toBe(1);
    expect(world.leaders()).toEqual(['b']);
  });

  it('is nobody’s while the row can be neither read nor written, and somebody’s again afterwards', async () => {
    const world = await two();
    world.row.isDown = true;
    await world.pass(2_500);
    expect(world.leaders()).toEqual([]);
    world.row.isDown = false;
    await world.pass(4_000);
    expect(world.leaders()).toHaveLength(1);
  });

  it('is never had by two, whoever is frozen and for how long, and is always had by one in the end', async () => {
    const step = fc.record({
      who: fc.constantFrom('a', 'b', 'c'),
      frozenMs: fc.integer({ min: 0, max: 8_000 }),
      thenMs: fc.integer({ min: 0, max: 3_000 }),
      isDown: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        const world = await two();
        await world.add('c').start();
        let most = 0;
        for (const { who, frozenMs, thenMs, isDown } of steps) {
          world.freeze(who);
          world.row.isDown = isDown;
          most = Math.max(most, await world.pass(frozenMs));
          world.thaw(who);
          world.row.isDown = false;
          most = Math.max(most, await world.pass(thenMs));
        }
        most = Math.max(most, await world.pass(4_500));
        expect(most).toBe(1);
        expect(world.leaders()).toHaveLength(1);
      }),
      { numRuns: 60 },
    );
  });
});
