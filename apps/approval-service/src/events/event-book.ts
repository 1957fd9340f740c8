import type { Bus } from '@uar/bus';
import {
  eventsAppended,
  principalId,
  type EventGroup,
  type EventType,
  type NotedEvent,
  type PlacedGroup,
  type StoredRun,
  type TenantId,
} from '@uar/contracts';
import type { AppendEvents, Ledger } from '@uar/ledger';
import type { Log } from '@uar/telemetry';

/** Up to this many characters events travel with their announcement: whoever shows them live need not read. */
const toldLength = 64 * 1024;

/** Keeps events and tells where they stand, each after its commit. Notes by itself what becomes of runs. */
export class EventBook {
  constructor(
    private readonly parts: {
      readonly ledger: Pick<Ledger, 'appendEvents' | 'endDueRuns' | 'nextRunEnd'>;
      readonly bus: Bus;
      readonly log: Pick<Log, 'warn'>;
      readonly clock: { now(): number };
    },
  ) {}

  /** False: the batch was there already. */
  async append(groups: readonly EventGroup[], from?: AppendEvents['from']): Promise<boolean> {
    const { ledger, clock } = this.parts;
    const places = await ledger.appendEvents({
      groups: [...groups],
      now: clock.now(),
      ...(from === undefined ? {} : { from }),
    });
    this.tell(groups, places);
    return places.length > 0;
  }

  /** The run is written, whether or not its event can be. */
  async noteRun(run: StoredRun, revision: number): Promise<void> {
    const type = run.status === 'active' ? (revision === 1 ? 'run.opened' : 'run.changed') : 'run.ended';
    await this.noteRuns([groupOf(run, type, this.parts.clock.now())]);
  }

  /** Notes the end of runs whose time is over; answers when to come back. */
  async endDueRuns(): Promise<number | undefined> {
    const { ledger, clock } = this.parts;
    const ended = await ledger.endDueRuns({ now: clock.now() });
    if (ended.length > 0)
      await this.noteRuns(ended.map((run) => groupOf(run, 'run.ended', clock.now(), 'expired')));
    return ledger.nextRunEnd();
  }

  private async noteRuns(groups: readonly EventGroup[]): Promise<void> {
    try {
      await this.append(groups);
    } catch (error) {
      this.parts.log.warn({ err: error }, 'events of runs were not written');
    }
  }

  private tell(groups: readonly EventGroup[], places: readonly PlacedGroup[]): void {
    const length = groups.reduce((sum, { events_json }) => sum + events_json.length, 0);
    const byTenant = new Map<TenantId, (PlacedGroup & { events_json?: string })[]>();
    for (const [index, place] of places.entries()) {
      const group = groups[index];
      if (group === undefined) continue;
      const told = length > toldLength ? place : { ...place, events_json: group.events_json };
      byTenant.set(group.tenant, [...(byTenant.get(group.tenant) ?? []), told]);
    }
    for (const [tenant, own] of byTenant) this.parts.bus.announce(eventsAppended, { tenant, groups: own });
  }
}

type RunEvent = Extract<EventType, 'run.opened' | 'run.changed' | 'run.ended'>;

function groupOf(run: StoredRun, type: RunEvent, ...[at, status]: [number, 'expired'?]): EventGroup {
  const { owner, run_id, tenant, agent_id } = run;
  const event: NotedEvent = { type, at, data_json: JSON.stringify(dataOf(run, type, status ?? run.status)) };
  return {
    tenant,
    run: {
      run_id,
      owner: {
        principal: principalId(owner.principal),
        issuer: owner.principal.issuer,
        ...(agent_id === undefined ? {} : { agent_id }),
      },
    },
    count: 1,
    events_json: JSON.stringify([event]),
  };
}

function dataOf(run: StoredRun, type: RunEvent, status: string): object {
  const { agent_id, conversation_id, expires_at } = run;
  const conversation = conversation_id === undefined ? {} : { conversation_id };
  switch (type) {
    case 'run.opened':
      return {
        status,
        ...(agent_id === undefined ? {} : { agent_id }),
        ...conversation,
        expires_at: new Date(expires_at).toISOString(),
      };
    case 'run.ended':
      return { status, ...conversation };
    case 'run.changed':
      return { status };
  }
}
