import type { Clock } from '../call/ports.js';
import type { EventWindow, ToldGroup, WindowPage, WindowPlace } from './ports.js';
import { RunCalls } from './run-calls.js';
import { gapEvent, shownEvents, startOf, type ShownEvent, type StreamView } from './shown-events.js';
import type { Outlet, StreamEnd } from './streams.js';

const retryMs = 1_000;
/** A run that ended may have calls that still end: their events are waited for, so long at most. */
const lastCallsMs = 300_000;
/** What a gateway has noted of a call may come after the end of its run, which the ledger itself noted. */
const overtakenMs = 1_000;

export interface SubscriberParts {
  readonly window: EventWindow;
  readonly outlet: Outlet;
  readonly place: WindowPlace;
  readonly view: StreamView;
  readonly clock: Clock;
  /** Place of the last event the subscriber has. */
  readonly cursor: number;
  /** It asked for what is kept, not for what follows an event it has. */
  readonly isFresh: boolean;
  /** Logs once and names the line. */
  fault(error: unknown): string;
}

/** One stream: a place in the window and the way to whoever listens. It holds no events; what does not fit now is read again. */
export class Subscriber {
  private cursor: number;
  /** There is, or may be, more in the window. */
  private isBehind = true;
  private isReading = false;
  private isOver = false;
  private isFresh: boolean;
  /** What the subscriber named as its last event, where there never was such a one. */
  private unknownPlace: number | undefined;
  private readonly calls = new RunCalls();
  private runEndedAt: number | undefined;
  private readonly stopNews: () => void;
  private stopRetry: () => void = () => undefined;
  /** Epoch milliseconds since when nothing more could be sent. */
  private fullSince: number | undefined;
  private currentView: StreamView;

  constructor(private readonly parts: SubscriberParts) {
    const { window, outlet, place, cursor, isFresh, view } = parts;
    this.cursor = cursor;
    this.isFresh = isFresh;
    this.currentView = view;
    this.stopNews = window.onNews(place.tenant, (groups) => this.hear(groups));
    outlet.onDrain(() => this.drained());
    outlet.onClose(() => this.stop());
    this.catchUp();
  }

  get over(): boolean {
    return this.isOver;
  }

  /** Milliseconds for which nothing could be sent. */
  stuckMs(now: number): number {
    return this.fullSince === undefined ? 0 : now - this.fullSince;
  }

  /** What the viewer may see from now on. */
  show(view: StreamView): void {
    this.currentView = view;
  }

  /** News may be lost on the way: looks by itself. */
  look(): void {
    this.isBehind = true;
    this.catchUp();
  }

  /** The run has ended, whatever the events say. */
  runIsOver(): void {
    this.runEndedAt ??= this.parts.clock.now();
    this.look();
  }

  end(reason: StreamEnd): void {
    if (this.isOver) return;
    this.stop();
    this.parts.outlet.end(reason);
  }

  /** For what is broken here: nobody else's stream, and not the process, ends with it. */
  breakOff(error: unknown): void {
    if (this.isOver) return;
    this.parts.fault(error);
    this.end('unavailable');
  }

  private stop(): void {
    this.isOver = true;
    this.stopNews();
    this.stopRetry();
  }

  private hear(groups: readonly ToldGroup[]): void {
    if (this.isOver) return;
    try {
      for (const group of groups) if (this.concerns(group)) this.hearOne(group);
    } catch (error) {
      this.breakOff(error);
    }
  }

  private concerns({ run }: ToldGroup): boolean {
    const { runId } = this.parts.place;
    return runId === undefined || runId === run?.run_id;
  }

  private hearOne(group: ToldGroup): void {
    const start = startOf(group, this.currentView) ?? 0;
    if (start + group.count - 1 <= this.cursor) return;
    const isNext = !this.isBehind && !this.isReading && start <= this.cursor + 1;
    if (isNext && group.events_json !== undefined && !this.isFull()) {
      this.isBehind = !this.deliver(group);
      this.endWithRun();
      return;
    }
    this.isBehind = true;
    this.catchUp();
  }

  private drained(): void {
    this.fullSince = undefined;
    this.catchUp();
  }

  private catchUp(): void {
    if (!this.isReading) this.readAll().catch((error: unknown) => this.breakOff(error));
  }

  /** One reading at a time, until there is nothing more or no room. */
  private async readAll(): Promise<void> {
    this.isReading = true;
    while (this.isBehind && !this.isOver && !this.isFull()) {
      this.isBehind = false;
      const isGood = await this.readOn();
      if (!isGood) break;
    }
    this.isReading = false;
    if (!this.isBehind) this.endWithRun();
  }

  private async readOn(): Promise<boolean> {
    const { window, place, clock } = this.parts;
    const page = await window.read(place, this.cursor);
    if (this.isOver) return false;
    if (page.kind === 'unavailable') {
      this.isBehind = true;
      this.stopRetry();
      this.stopRetry = clock.after(retryMs, () => this.catchUp());
      return false;
    }
    // A place that nobody gave out: what is kept begins anew.
    if (this.cursor > page.last) {
      this.unknownPlace = this.cursor;
      this.cursor = 0;
      this.isBehind = true;
      return true;
    }
    if (!this.take(page) || page.more) this.isBehind = true;
    this.isFresh = false;
    return true;
  }

  /** False: there is no room for all of it. */
  private take({ groups, lost, last }: WindowPage): boolean {
    const isLost = this.unknownPlace !== undefined || (lost && !this.isFresh);
    if (groups.length === 0 && isLost) this.tellGap(last + 1);
    for (const [index, group] of groups.entries()) {
      const start = startOf(group, this.currentView) ?? 0;
      // Places of a tenant have no holes but of what is forgotten; those of a run begin somewhere.
      const isHole = this.currentView.kind === 'tenant' && start > this.cursor + 1;
      const isBroken = index === 0 && isLost && (isHole || this.currentView.kind === 'run');
      if (isHole || isBroken || (index === 0 && this.unknownPlace !== undefined)) this.tellGap(start);
      if (!this.deliver(group)) return false;
    }
    return true;
  }

  private tellGap(first: number): void {
    const after = this.unknownPlace ?? this.cursor;
    this.unknownPlace = undefined;
    this.parts.outlet.send(gapEvent(after, first, this.parts.clock.now()));
    this.cursor = Math.max(this.cursor, first - 1);
  }

  /** False: there is no room for all of it. */
  private deliver(group: ToldGroup): boolean {
    for (const event of shownEvents(group, this.currentView, this.cursor)) {
      if (this.isFull()) return false;
      this.send(event);
      this.cursor = event.id;
    }
    const start = startOf(group, this.currentView) ?? 0;
    this.cursor = Math.max(this.cursor, start + group.count - 1);
    return true;
  }

  private send(event: ShownEvent): void {
    if (this.currentView.kind === 'run') {
      if (!this.calls.admits(event)) return;
      if (event.type === 'run.ended') this.runEndedAt = event.at;
    }
    this.parts.outlet.send(event);
  }

  private isFull(): boolean {
    const { outlet, clock } = this.parts;
    if (outlet.isFull) this.fullSince ??= clock.now();
    return outlet.isFull;
  }

  private endWithRun(): void {
    if (this.runEndedAt === undefined || this.isBehind || this.isReading) return;
    const { clock } = this.parts;
    const endedMs = clock.now() - this.runEndedAt;
    if (endedMs < overtakenMs) {
      this.stopRetry();
      this.stopRetry = clock.after(overtakenMs - endedMs, () => this.look());
      return;
    }
    if (this.calls.open === 0 || endedMs >= lastCallsMs) this.end('run_ended');
  }
}
