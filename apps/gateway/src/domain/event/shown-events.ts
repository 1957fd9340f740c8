import {
  agentOf,
  principalId,
  type EventRun,
  type EventType,
  type NotedEvent,
  type Principal,
} from '@uar/contracts';
import { withMember } from '@uar/json-text';
import { notedEvents } from './noted-events.js';
import type { ToldGroup } from './ports.js';

/** Which events a stream shows, and how much of them. */
export type StreamView =
  /** One run, for its owner and whoever may read calls: arguments and results too. */
  | { readonly kind: 'run' }
  /** The tenant: the viewer's own runs or all of them, and what belongs to no run; digests and sizes only (CASES O3). */
  | {
      readonly kind: 'tenant';
      readonly viewer: Principal;
      readonly seesRuns: 'own' | 'all';
      readonly seesServers: boolean;
    };

/** One event on its way to a subscriber. */
export interface ShownEvent {
  /** Its place in the stream: what `Last-Event-ID` names. */
  readonly id: number;
  readonly type: EventType;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly runId?: string | undefined;
  readonly callId?: string | undefined;
  /** JSON text. */
  readonly dataJson: string;
}

/** Place of the first event of a group in such a stream; undefined where it is not in it. */
export function startOf(group: ToldGroup, view: StreamView): number | undefined {
  return view.kind === 'run' ? group.seq : group.position;
}

/** The events of a group behind a place, as the stream shows them. */
export function shownEvents(group: ToldGroup, view: StreamView, after: number): readonly ShownEvent[] {
  const start = startOf(group, view);
  if (start === undefined) return [];
  if (view.kind === 'tenant' && !showsRun(view, group.run)) return [];
  return notedEvents(group).flatMap((event, index) => {
    const id = start + index;
    if (event === undefined || id <= after || !showsType(view, event.type)) return [];
    return [shown(event, view, { id, run: group.run })];
  });
}

function shown(
  { type, at, call_id, data_json, payload }: NotedEvent,
  view: StreamView,
  { id, run }: { readonly id: number; readonly run: EventRun | undefined },
): ShownEvent {
  const isWhole = view.kind === 'run' && payload !== undefined;
  const dataJson = isWhole ? withMember(data_json, payload.member, payload.json) : data_json;
  return { id, type, at, runId: run?.run_id, callId: call_id, dataJson };
}

function showsRun(view: StreamView & { kind: 'tenant' }, run: EventRun | undefined): boolean {
  return run === undefined || view.seesRuns === 'all' || isOwn(view.viewer, run);
}

function showsType(view: StreamView, type: EventType): boolean {
  return view.kind === 'run' || type !== 'server.state' || view.seesServers;
}

/** The principal itself; through an agent only where the run is that agent's. */
function isOwn(viewer: Principal, { owner }: EventRun): boolean {
  const agent = agentOf(viewer);
  const isOwner = owner.principal === principalId(viewer) && owner.issuer === viewer.issuer;
  return isOwner && (agent === undefined || agent === owner.agent_id);
}

/** Says that events are missing: those between two places, or all before `first`. Its own place is the last one before. */
export function gapEvent(after: number, first: number, at: number): ShownEvent {
  return { id: Math.max(0, first - 1), type: 'gap', at, dataJson: JSON.stringify({ after, first }) };
}

/** The event as JSON text, with members `first` before the others. */
export function eventText(event: ShownEvent, first: Readonly<Record<string, unknown>>): string {
  const { type, at, runId, callId, dataJson } = event;
  const members = {
    ...first,
    type,
    at: new Date(at).toISOString(),
    ...(runId === undefined ? {} : { run_id: runId }),
    ...(callId === undefined ? {} : { call_id: callId }),
  };
  return withMember(JSON.stringify(members), 'data', dataJson);
}
