import type { Caller } from '@uar/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Allowance } from '../access/access.js';
import { HandClock, caller, runId, settle } from '../call-spec/facts.fixture.js';
import type { WatchedRun } from '../run/run-desk.js';
import type { EventWindow, ToldGroup, WindowPage } from './ports.js';
import { StreamDesk } from './stream-desk.js';
import type { ShownEvent } from './shown-events.js';
import type { Outlet, StreamEnd } from './streams.js';

const owner = { principal: 'User::"default/ada"', issuer: 'test' };

/** A window that holds what a spec puts there. */
class Window implements EventWindow {
  groups: (ToldGroup & { events_json: string })[] = [];
  answers = true;
  breaks = false;
  reads = 0;
  private readonly listeners = new Set<(groups: readonly ToldGroup[]) => void>();

  read(_: unknown, after: number): Promise<WindowPage | { kind: 'unavailable'; cause: string }> {
    this.reads += 1;
    if (this.breaks) return Promise.reject(new Error('broken'));
    if (!this.answers) return Promise.resolve({ kind: 'unavailable', cause: 'ledger' });
    const groups = this.groups.filter(({ position }) => position > after).slice(0, 3);
    const last = this.groups.at(-1)?.position ?? 0;
    return Promise.resolve({
      kind: 'page',
      groups,
      more: (groups.at(-1)?.position ?? last) < last,
      last,
      lost: false,
    });
  }

  onNews(_: unknown, listener: (groups: readonly ToldGroup[]) => void) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  get followed(): number {
    return this.listeners.size;
  }

  add(type: string, tell = true, callId?: string): void {
    const event = { type, at: 1_000_000, data_json: '{}', ...(callId && { call_id: callId }) };
    this.addText(JSON.stringify([event]), tell);
  }

  addText(events_json: string, tell: boolean): void {
    const position = (this.groups.at(-1)?.position ?? 0) + 1;
    const run = { run_id: runId, owner };
    const group = { position, seq: position, run, count: 1, events_json };
    this.groups.push(group);
    if (tell) for (const listener of this.listeners) listener([group]);
  }
}

class Mouth implements Outlet {
  readonly heard: ShownEvent[] = [];
  ended: StreamEnd | undefined;
  isFull = false;
  breaks = false;
  private readonly drains: (() => void)[] = [];
  private readonly closes: (() => void)[] = [];

  send(event: ShownEvent): void {
    if (this.breaks) throw new Error('broken');
    this.heard.push(event);
  }
  end(reason: StreamEnd): void {
    this.ended = reason;
    this.close();
  }
  onDrain(listener: () => void): void {
    this.drains.push(listener);
  }
  onClose(listener: () => void): void {
    this.closes.push(listener);
  }
  drain(): void {
    this.isFull = false;
    for (const listener of this.drains) listener();
  }
  close(): void {
    for (const listener of this.closes.splice(0)) listener();
  }
  get types(): string[] {
    return this.heard.map(({ type }) => type);
  }
  get ids(): number[] {
    return this.heard.map(({ id }) => id);
  }
}

describe('the stream desk', () => {
  let clock: HandClock;
  let window: Window;
  let watched: WatchedRun;
  let allowance: Allowance;
  let desk: StreamDesk;
  let faults: number;

  beforeEach(() => {
    clock = new HandClock();
    window = new Window();
    watched = { kind: 'watched', isActive: true };
    allowance = { kind: 'allowed' };
    const runs = { watch: () => Promise.resolve(watched) };
    faults = 0;
    const access = { may: () => Promise.resolve(allowance) };
    const fault = () => String((faults += 1));
    desk = new StreamDesk({ window, runs, clock, access, fault });
  });

  const open = async (changes: { caller?: Caller; runId?: string; lastEventId?: number } = { runId }) => {
    const answer = await desk.open({ caller, ...changes });
    if (answer.kind !== 'admitted') throw new Error(`not admitted: ${answer.kind}`);
    const mouth = new Mouth();
    answer.begin(mouth);
    await settle();
    return mouth;
  };
  const until = (subject: string, expires_at: number): Caller => ({
    ...caller,
    principal: { ...caller.principal, subject, expires_at },
  });

  it('shows what is kept and then what comes, each once and in order', async () => {
    for (let n = 0; n < 7; n += 1) window.add('run.changed');
    const mouth = await open();
    expect(mouth.ids).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const { reads } = window;
    window.add('run.changed');
    expect(mouth.ids.at(-1)).toBe(8);
    expect(window.reads).toBe(reads);
  });

  it('reads what it did not hear of, with the next news or within ten seconds', async () => {
    const mouth = await open();
    window.add('run.changed', false);
    window.add('run.changed');
    await settle();
    expect(mouth.ids).toEqual([1, 2]);
    window.add('run.changed', false);
    await clock.advance(12_000);
    expect(mouth.ids).toEqual([1, 2, 3]);
  });

  it.each([true, false])('shows as a gap what a newer writer notes, and goes on (told: %s)', async (told) => {
    const mouth = await open();
    window.add('run.changed', told);
    window.add('call.teleported', told);
    window.addText('no json', told);
    window.addText('[null]', told);
    window.add('run.changed');
    await settle();
    expect(mouth.types).toEqual(['run.changed', 'gap', 'run.changed']);
    expect(mouth.ids).toEqual([1, 2, 5]);
    expect([mouth.ended, faults]).toEqual([undefined, 0]);
  });

  it('ends the one stream that breaks, whatever broke, and says so once', async () => {
    const other = await open();
    window.breaks = true;
    const reading = await open();
    await settle();
    window.breaks = false;
    const writing = await open();
    writing.breaks = true;
    window.add('run.changed');
    window.add('run.changed');
    await settle();
    expect([reading.ended, writing.ended, other.ended]).toEqual(['unavailable', 'unavailable', undefined]);
    expect([faults, other.ids, desk.size]).toEqual([2, [1, 2], 1]);
  });

  it('ends a stream whose rights cannot be looked at for a fault', async () => {
    const mouth = await open();
    watched = undefined as never;
    await clock.advance(11_000);
    expect([mouth.ended, faults]).toEqual(['unavailable', 1]);
  });

  it('tells a client that has all of an ended run so, also where it does not know the last event', async () => {
    watched = { kind: 'watched', isActive: false };
    window.add('call.teleported');
    await clock.advance(20_000);
    expect((await desk.open({ caller, runId, lastEventId: 1 })).kind).toBe('complete');
    window.addText('no json', false);
    expect((await desk.open({ caller, runId, lastEventId: 2 })).kind).toBe('admitted');
  });

  it('sends nothing into a full way, keeps nothing for it, and goes on where it stopped', async () => {
    const mouth = await open();
    window.add('run.changed');
    mouth.isFull = true;
    const { reads } = window;
    for (let n = 0; n < 50; n += 1) window.add('run.changed');
    await settle();
    expect([mouth.ids, window.reads]).toEqual([[1], reads]);
    mouth.drain();
    await settle();
    expect(mouth.ids).toEqual(Array.from({ length: 51 }, (_, n) => n + 1));
  });

  it('ends a stream into which nothing could be sent for a minute', async () => {
    const mouth = await open();
    mouth.isFull = true;
    window.add('run.changed');
    await clock.advance(50_000);
    expect(mouth.ended).toBeUndefined();
    await clock.advance(12_000);
    expect(mouth.ended).toBe('too_slow');
    expect([desk.size, window.followed]).toEqual([0, 0]);
  });

  it('ends with the token of its caller', async () => {
    const mouth = await open({ caller: until('ada', clock.now() + 5_000), runId });
    await clock.advance(4_000);
    expect(mouth.ended).toBeUndefined();
    await clock.advance(2_000);
    expect(mouth.ended).toBe('token_expired');
  });

  it('ends within ten seconds when the run is not the caller’s any more', async () => {
    const mouth = await open();
    watched = { kind: 'not_found' };
    allowance = { kind: 'denied' };
    await clock.advance(11_000);
    expect(mouth.ended).toBe('not_allowed');
  });

  it('shows no more runs of others once readCalls is lost', async () => {
    const stranger = until('eve', 100_000_000);
    const mouth = await open({ caller: stranger });
    window.add('run.changed');
    expect(mouth.ids).toEqual([1]);
    allowance = { kind: 'denied' };
    await clock.advance(11_000);
    window.add('run.changed');
    await settle();
    expect([mouth.ids, mouth.ended]).toEqual([[1], undefined]);
  });

  it('bears one look that nobody answers, and ends with the second', async () => {
    const mouth = await open();
    watched = { kind: 'unavailable', cause: 'ledger' };
    await clock.advance(11_000);
    expect(mouth.ended).toBeUndefined();
    await clock.advance(11_000);
    expect(mouth.ended).toBe('unavailable');
  });

  it('waits for a ledger that is away, and loses nothing', async () => {
    const mouth = await open();
    window.answers = false;
    window.add('run.changed', false);
    window.add('run.changed');
    await settle();
    expect(mouth.ids).toEqual([]);
    window.answers = true;
    await clock.advance(1_000);
    expect(mouth.ids).toEqual([1, 2]);
  });

  it('ends with the run once its last call has ended', async () => {
    const callId = `call_${'1'.repeat(32)}`;
    const mouth = await open();
    window.add('call.proposed', true, callId);
    window.add('run.ended');
    await settle();
    expect(mouth.ended).toBeUndefined();
    window.add('call.ended', true, callId);
    await settle();
    expect(mouth.ended).toBeUndefined();
    await clock.advance(1_000);
    expect(mouth.ended).toBe('run_ended');
  });

  it('shows a call of a run as ended once, whoever else notes its end', async () => {
    const callId = `call_${'1'.repeat(32)}`;
    const mouth = await open();
    window.add('call.proposed', true, callId);
    window.add('call.ended', true, callId);
    window.add('call.ended', true, callId);
    window.add('call.ended', false, callId);
    window.add('call.proposed', true, callId);
    window.add('run.ended');
    await clock.advance(1_000);
    expect(mouth.types).toEqual(['call.proposed', 'call.ended', 'call.proposed', 'run.ended']);
    expect([mouth.ids, mouth.ended]).toEqual([[1, 2, 5, 6], 'run_ended']);
  });

  it('waits a moment for what the end of the run has overtaken', async () => {
    const callId = `call_${'1'.repeat(32)}`;
    const mouth = await open();
    window.add('run.ended');
    await clock.advance(500);
    window.add('call.proposed', true, callId);
    window.add('call.ended', true, callId);
    await clock.advance(600);
    expect([mouth.ids, mouth.ended]).toEqual([[1, 2, 3], 'run_ended']);
  });

  it('ends, after minutes, also where the end of a call never comes', async () => {
    const mouth = await open();
    window.add('call.proposed', true, `call_${'1'.repeat(32)}`);
    window.add('run.ended');
    watched = { kind: 'watched', isActive: false };
    await clock.advance(299_000);
    expect(mouth.ended).toBeUndefined();
    await clock.advance(12_000);
    expect(mouth.ended).toBe('run_ended');
  });

  it('takes 32 streams of one principal and 1,000 in all', async () => {
    const mouths = await Promise.all(Array.from({ length: 32 }, () => open()));
    expect((await desk.open({ caller, runId })).kind).toBe('limited');
    for (let n = 0; n < 968; n += 1) await open({ caller: until(`p${n}`, 100_000_000), runId });
    expect((await desk.open({ caller: until('last', 100_000_000), runId })).kind).toBe('limited');
    mouths[0]?.close();
    expect((await desk.open({ caller: until('last', 100_000_000), runId })).kind).toBe('admitted');
  });

  it('gives the place of a refused stream back', async () => {
    watched = { kind: 'not_found' };
    allowance = { kind: 'denied' };
    for (let n = 0; n < 40; n += 1) expect((await desk.open({ caller, runId })).kind).toBe('not_found');
  });

  it('lets holders of readCalls into a run that nobody opened, where there is one', async () => {
    watched = { kind: 'not_found' };
    expect((await desk.open({ caller, runId })).kind).toBe('not_found');
    window.add('run.changed');
    expect((await desk.open({ caller, runId })).kind).toBe('admitted');
  });

  it('ends all streams at its close and takes no new one', async () => {
    const mouths = [await open(), await open()];
    desk.close();
    expect(mouths.map(({ ended }) => ended)).toEqual(['stopping', 'stopping']);
    expect((await desk.open({ caller, runId })).kind).toBe('unavailable');
  });
});
