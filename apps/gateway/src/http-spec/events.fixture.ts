import type { Bus } from '@uar/bus';
import {
  appendEvents,
  eventsAppended,
  principalId,
  readEvents,
  type EventGroup,
  type KeptGroup,
  type NotedEvent,
  type StoredRun,
  type TenantId,
} from '@uar/contracts';

/** The ledger's events, kept in memory, one window per tenant. */
export class MemoryEvents {
  private readonly kept = new Map<string, KeptGroup[]>();
  /** Announcements leave the events out, as for long ones. */
  tellsWhole = true;
  /** Nothing is announced. */
  isSilent = false;
  reads = 0;
  /** Readings are answered after it. */
  held: Promise<void> | undefined;

  constructor(private readonly bus: Bus) {
    bus.answer(appendEvents, ({ groups }) => {
      this.append(groups);
      return { appended: true };
    });
    bus.answer(readEvents, async ({ tenant, run_id, after }) => {
      this.reads += 1;
      await this.held;
      return this.read(tenant, run_id, after);
    });
  }

  noteRun(run: StoredRun, revision: number): void {
    const type = run.status === 'active' ? (revision === 1 ? 'run.opened' : 'run.changed') : 'run.ended';
    const { status } = run;
    const expiresAt = new Date(run.expires_at).toISOString();
    const { principal } = run.owner;
    const owner = { principal: principalId(principal), issuer: principal.issuer };
    this.note(run.tenant, { run_id: run.run_id, owner }, [
      {
        type,
        at: Date.now(),
        data_json: JSON.stringify(type === 'run.opened' ? { status, expires_at: expiresAt } : { status }),
      },
    ]);
  }

  note(tenant: TenantId, run: EventGroup['run'], events: readonly NotedEvent[]): void {
    const text = JSON.stringify(events);
    this.append([{ tenant, count: events.length, events_json: text, ...(run && { run }) }]);
  }

  /** Forgets the oldest groups of a tenant. */
  forget(tenant: string, count: number): void {
    this.kept.get(tenant)?.splice(0, count);
  }

  /** Events that are kept of a tenant. */
  count(tenant: string): number {
    return (this.kept.get(tenant) ?? []).reduce((sum, { count }) => sum + count, 0);
  }

  private append(groups: readonly EventGroup[]): void {
    const told = new Map<TenantId, KeptGroup[]>();
    for (const { tenant, run, count, events_json } of groups) {
      const all = this.kept.get(tenant) ?? [];
      this.kept.set(tenant, all);
      const last = all.at(-1);
      const position = last === undefined ? 1 : last.position + last.count;
      const before = all.findLast((it) => it.run?.run_id === run?.run_id);
      const seq = before?.seq === undefined ? 1 : before.seq + before.count;
      const group: KeptGroup = { position, count, events_json, ...(run && { run, seq }) };
      all.push(group);
      told.set(tenant, [...(told.get(tenant) ?? []), group]);
    }
    if (this.isSilent) return;
    for (const [tenant, own] of told) {
      const short = own.map(({ events_json, ...place }) =>
        this.tellsWhole ? { ...place, events_json } : place,
      );
      this.bus.announce(eventsAppended, { tenant, groups: short });
    }
  }

  private read(tenant: TenantId, runId: string | undefined, after: number) {
    const all = (this.kept.get(tenant) ?? []).filter((it) => runId === undefined || it.run?.run_id === runId);
    const start = (group: KeptGroup) => (runId === undefined ? group.position : (group.seq ?? 0));
    const newest = all.at(-1);
    const last = newest === undefined ? 0 : start(newest) + newest.count - 1;
    const behind = all.filter((group) => start(group) + group.count - 1 > after);
    const first = all[0];
    const lost = first !== undefined && after + 1 < start(first);
    return { groups: behind.slice(0, 20), more: behind.length > 20, last, lost };
  }
}
