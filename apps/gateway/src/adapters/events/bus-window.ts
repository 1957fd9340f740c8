import type { Bus } from '@uar/bus';
import { eventsAppended, readEvents, type TenantId } from '@uar/contracts';
import type { EventWindow, ToldGroup, WindowPage, WindowPlace } from '../../domain/event/ports.js';
import type { Unavailable } from '../../domain/call/ports.js';
import { unavailable } from '../bus/pdp.js';

type Listener = (groups: readonly ToldGroup[]) => void;

/** The ledger's events over the bus; news only of tenants that somebody follows. */
export class BusWindow implements EventWindow {
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly reading = new Map<string, Promise<WindowPage | Unavailable>>();
  /** Announcements so far: a reading that began before the newest of them may not know of it. */
  private heard = 0;
  private readonly endListening: () => void;

  constructor(private readonly bus: Bus) {
    this.endListening = bus.listen(eventsAppended, ({ tenant, groups }) => {
      this.heard += 1;
      for (const listener of this.listeners.get(tenant) ?? []) listener(groups);
    });
  }

  /** Subscribers that are at the same place share one reading. */
  read(place: WindowPlace, after: number): Promise<WindowPage | Unavailable> {
    const key = JSON.stringify([place.tenant, place.runId, after, this.heard]);
    const running = this.reading.get(key);
    if (running !== undefined) return running;
    const reading = this.ask(place, after).finally(() => this.reading.delete(key));
    this.reading.set(key, reading);
    return reading;
  }

  onNews(tenant: TenantId, listener: Listener): () => void {
    const own = this.listeners.get(tenant) ?? new Set();
    this.listeners.set(tenant, own.add(listener));
    return () => {
      own.delete(listener);
      if (own.size === 0 && this.listeners.get(tenant) === own) this.listeners.delete(tenant);
    };
  }

  close(): void {
    this.endListening();
    this.listeners.clear();
  }

  private async ask({ tenant, runId }: WindowPlace, after: number): Promise<WindowPage | Unavailable> {
    const reply = await this.bus.ask(readEvents, {
      tenant,
      after,
      ...(runId === undefined ? {} : { run_id: runId }),
    });
    if (reply.kind === 'fault') return unavailable('ledger', reply);
    return { kind: 'page', ...reply.value };
  }
}
