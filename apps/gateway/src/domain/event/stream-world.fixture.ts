import type { Caller } from '@uar/contracts';
import type { Allowance } from '../access/access.js';
import { HandClock, caller, runId, settle } from '../call-spec/facts.fixture.js';
import type { WatchedRun } from '../run/run-desk.js';
import type { EventWindow, ToldGroup, WindowPage } from './ports.js';
import { StreamDesk } from './stream-desk.js';
import type { ShownEvent } from './shown-events.js';
import type { Outlet, StreamEnd } from './streams.js';

const owner = { principal: 'User::"default/ada"', issuer: 'test' };

/** A window that holds what a spec puts there. */
class HandWindow implements EventWindow {
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

/** Hears what a stream says, as fast as a spec lets it. */
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

/** A stream desk, and all it stands on in the hands of a spec. */
export class StreamWorld {
  readonly clock = new HandClock();
  readonly window = new HandWindow();
  watched: WatchedRun = { kind: 'watched', isActive: true };
  allowance: Allowance = { kind: 'allowed' };
  faults = 0;
  readonly desk = new StreamDesk({
    window: this.window,
    runs: { watch: () => Promise.resolve(this.watched) },
    clock: this.clock,
    access: { may: () => Promise.resolve(this.allowance) },
    fault: () => String((this.faults += 1)),
  });

  async open(changes: { caller?: Caller; runId?: string; lastEventId?: number } = { runId }): Promise<Mouth> {
    const answer = await this.desk.open({ caller, ...changes });
    if (answer.kind !== 'admitted') throw new Error(`not admitted: ${answer.kind}`);
    const mouth = new Mouth();
    answer.begin(mouth);
    await settle();
    return mouth;
  }
}

/** The caller as somebody, whose token ends then. */
export function until(subject: string, expires_at: number): Caller {
  return { ...caller, principal: { ...caller.principal, subject, expires_at } };
}
