import type { EventRun, NotedEvent, TenantId } from '@uar/contracts';

/** What an event is about: a run, or the tenant itself. */
export interface EventPlace {
  readonly tenant: TenantId;
  readonly run?: EventRun;
}

/** An event that waits, with about its length in characters. */
export interface Waiting {
  readonly place: EventPlace;
  readonly event: NotedEvent;
  readonly length: number;
}

interface Dropped {
  readonly place: EventPlace;
  count: number;
}

const mostWaiting = 10_000;
const mostLength = 32 * 1024 * 1024;
/** Runs whose losses are told one by one; beyond them the tenant's stream says it. */
const mostGaps = 1_000;
const besidePayload = 128;

/** Events in order, so many and so long at most; what is left out is told as a gap as soon as there is room. */
export class EventQueue {
  private readonly waiting: Waiting[] = [];
  private readonly dropped = new Map<string, Dropped>();
  private length = 0;

  constructor(private readonly now: () => number) {}

  get size(): number {
    return this.waiting.length;
  }

  /** False: it was dropped. */
  push(place: EventPlace, event: NotedEvent): boolean {
    if (this.isFull) {
      this.drop(place);
      return false;
    }
    if (this.dropped.size > 0) this.tellGap(placeKey(place));
    this.add(place, event);
    return true;
  }

  /** The next ones, in order; they stay until `forget`. */
  head(count: number, length: number): readonly Waiting[] {
    let taken = 0;
    const end = this.waiting.findIndex((one, index) => {
      taken += one.length;
      return index === count || (index > 0 && taken > length);
    });
    return this.waiting.slice(0, end === -1 ? undefined : end);
  }

  forget(count: number): void {
    for (const { length } of this.waiting.splice(0, count)) this.length -= length;
    if (this.waiting.length === 0) for (const key of [...this.dropped.keys()]) this.tellGap(key);
  }

  /** The first one is never to be written: its place has a gap instead. False: it was a gap, of which nothing more is told. */
  lose(): boolean {
    const lost = this.waiting.shift();
    if (lost === undefined) return false;
    this.length -= lost.length;
    if (lost.event.type === 'gap') return false;
    this.drop(lost.place);
    return true;
  }

  private get isFull(): boolean {
    return this.waiting.length >= mostWaiting || this.length >= mostLength;
  }

  private add(place: EventPlace, event: NotedEvent): void {
    const length = besidePayload + event.data_json.length + (event.payload?.json.length ?? 0);
    this.length += length;
    this.waiting.push({ place, event, length });
  }

  private drop(place: EventPlace): void {
    const own = this.dropped.get(placeKey(place));
    if (own !== undefined) own.count += 1;
    else if (this.dropped.size < mostGaps) this.dropped.set(placeKey(place), { place, count: 1 });
    else this.dropOfTenant(place.tenant);
  }

  private dropOfTenant(tenant: TenantId): void {
    const known = this.dropped.get(placeKey({ tenant }));
    if (known !== undefined) known.count += 1;
    else this.dropped.set(placeKey({ tenant }), { place: { tenant }, count: 1 });
  }

  private tellGap(key: string): void {
    const gap = this.dropped.get(key);
    if (gap === undefined || this.isFull) return;
    this.dropped.delete(key);
    const data_json = JSON.stringify({ dropped: gap.count });
    this.add(gap.place, { type: 'gap', at: this.now(), data_json });
  }
}

export function placeKey({ tenant, run }: EventPlace): string {
  return run === undefined ? tenant : `${tenant}/${run.run_id}`;
}
