import { z } from 'zod';
import { announcement, exchange } from '../exchange.js';
import {
  ApprovalId,
  CallId,
  Digest,
  EpochMs,
  HostKind,
  InstanceId,
  IsoTime,
  RunId,
  TenantId,
} from '../ids.js';
import { ApprovalStatus } from './approval.js';
import { Effect, Outcome } from './outcome.js';
import { RunStatus } from './run.js';
import { ServerStatus } from '../catalog/server.js';

const count = z.number().int().nonnegative();

/** What `data` of each event says (DESIGN.md 11). Members marked "own streams" are in no tenant-wide stream. */
const eventData = {
  'run.opened': z.strictObject({
    status: RunStatus,
    agent_id: z.string().optional(),
    conversation_id: z.string().optional(),
    expires_at: IsoTime,
  }),
  'run.changed': z.strictObject({ status: RunStatus }),
  'run.ended': z.strictObject({ status: RunStatus, conversation_id: z.string().optional() }),
  'call.proposed': z.strictObject({
    /** Public name as the caller wrote it. */
    tool: z.string(),
    arguments_digest: Digest,
    arguments_bytes: count,
    /** Own streams: as received, white space removed. Absent above 64 KiB. */
    arguments: z.unknown().optional(),
    arguments_truncated: z.literal(true).optional(),
  }),
  'call.decided': z.strictObject({
    kind: z.enum(['allow', 'deny', 'require_approval']),
    policy_version: z.string(),
  }),
  'call.approval_required': z.strictObject({
    approval_id: ApprovalId,
    tool: z.string(),
    quorum: z.number().int(),
    expires_at: IsoTime,
  }),
  'call.approval_settled': z.strictObject({ approval_id: ApprovalId, status: ApprovalStatus }),
  'call.dispatched': z.strictObject({ host: HostKind }),
  'call.progress': z.strictObject({
    progress: z.number().optional(),
    total: z.number().optional(),
    /** Own streams. */
    message: z.unknown().optional(),
  }),
  'call.ended': z.strictObject({
    tool: z.string(),
    outcome: Outcome,
    effect: Effect,
    success: z.boolean(),
    duration_ms: z.number(),
    result_digest: Digest.optional(),
    result_bytes: count.optional(),
    /** Own streams: the CallToolResult, untouched. Absent above 64 KiB. */
    result: z.unknown().optional(),
    result_truncated: z.literal(true).optional(),
    /** The outcome's fixed text; null where there is a result. */
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  }),
  'server.state': z.strictObject({ server: z.string(), status: ServerStatus.or(z.literal('removed')) }),
  'catalog.changed': z.strictObject({ version: z.string(), changed: count, removed: count }),
  /** Events are missing here: left out by a gateway that could not write them, or older than what is kept. */
  gap: z.strictObject({
    dropped: count.optional(),
    /** The id after which events are missing, and the first one that follows. */
    after: count.optional(),
    first: count.optional(),
  }),
} as const;

export const EventType = z.enum([
  'run.opened',
  'run.changed',
  'run.ended',
  'call.proposed',
  'call.decided',
  'call.approval_required',
  'call.approval_settled',
  'call.dispatched',
  'call.progress',
  'call.ended',
  'server.state',
  'catalog.changed',
  'gap',
]) satisfies z.ZodType<keyof typeof eventData>;
export type EventType = z.output<typeof EventType>;

function viewOf<T extends EventType, D extends z.ZodType>(type: T, data: D) {
  return z.strictObject({
    /** Place in the stream that shows it: in its run, or in the tenant. It only grows. */
    seq: count,
    type: z.literal(type),
    at: IsoTime,
    run_id: RunId.optional(),
    call_id: CallId.optional(),
    data,
  });
}

/** One event in the stream of its run (API.md 4). */
export const RunEventView = z.discriminatedUnion('type', [
  viewOf('run.opened', eventData['run.opened']),
  viewOf('run.changed', eventData['run.changed']),
  viewOf('run.ended', eventData['run.ended']),
  viewOf('call.proposed', eventData['call.proposed']),
  viewOf('call.decided', eventData['call.decided']),
  viewOf('call.approval_required', eventData['call.approval_required']),
  viewOf('call.approval_settled', eventData['call.approval_settled']),
  viewOf('call.dispatched', eventData['call.dispatched']),
  viewOf('call.progress', eventData['call.progress']),
  viewOf('call.ended', eventData['call.ended']),
  viewOf('gap', eventData.gap),
]);
export type RunEventView = z.output<typeof RunEventView>;

/** One event in the tenant-wide stream (API.md 4): nothing in it is what a caller or an upstream wrote (CASES O3). */
export const TenantEventView = z.discriminatedUnion('type', [
  viewOf('run.opened', eventData['run.opened']),
  viewOf('run.changed', eventData['run.changed']),
  viewOf('run.ended', eventData['run.ended']),
  viewOf('call.proposed', eventData['call.proposed'].omit({ arguments: true })),
  viewOf('call.decided', eventData['call.decided']),
  viewOf('call.approval_required', eventData['call.approval_required']),
  viewOf('call.approval_settled', eventData['call.approval_settled']),
  viewOf('call.dispatched', eventData['call.dispatched']),
  viewOf('call.progress', eventData['call.progress'].omit({ message: true })),
  viewOf('call.ended', eventData['call.ended'].omit({ result: true })),
  viewOf('server.state', eventData['server.state']),
  viewOf('catalog.changed', eventData['catalog.changed']),
  viewOf('gap', eventData.gap),
]);
export type TenantEventView = z.output<typeof TenantEventView>;

/** Members of `data` that hold what a caller or an upstream wrote: they travel apart, for own streams alone. */
export const EventPayload = z.strictObject({
  member: z.enum(['arguments', 'result', 'message']),
  /** JSON text, as it was received. */
  json: z.string(),
});
export type EventPayload = z.output<typeof EventPayload>;

/** One event as its writer notes it. */
export const NotedEvent = z.strictObject({
  type: EventType,
  at: EpochMs,
  call_id: CallId.optional(),
  /** Text of `data` without the payload: digests, sizes and states only. */
  data_json: z.string(),
  payload: EventPayload.optional(),
});
export type NotedEvent = z.output<typeof NotedEvent>;

/** The run of an event, and who may look into it without `readCalls`. */
export const EventRun = z.strictObject({
  run_id: RunId,
  owner: z.strictObject({
    /** Cedar id. */
    principal: z.string(),
    issuer: z.string(),
    agent_id: z.string().optional(),
  }),
});
export type EventRun = z.output<typeof EventRun>;

/** Most events of one group, and about the longest text of them. */
export const mostGrouped = 256;
export const groupBytes = 128 * 1024;

/** Events of one run, or of the tenant itself, in order. Text, because only subscribers read them. */
export const EventGroup = z.strictObject({
  tenant: TenantId,
  run: EventRun.optional(),
  count: z.number().int().min(1).max(mostGrouped),
  /** JSON array of `count` `NotedEvent`. */
  events_json: z.string(),
});
export type EventGroup = z.output<typeof EventGroup>;

/** A group in the window. `position` is the place of its first event in the tenant, `seq` that in its run; both only grow. */
export const PlacedGroup = EventGroup.omit({ tenant: true, events_json: true }).extend({
  position: z.number().int().positive(),
  seq: z.number().int().positive().optional(),
});
export type PlacedGroup = z.output<typeof PlacedGroup>;

export const KeptGroup = PlacedGroup.extend({ events_json: z.string() });
export type KeptGroup = z.output<typeof KeptGroup>;

/** Committed when answered. A batch of a source that is no newer than its last one is already there, and not written again. */
export const appendEvents = exchange({
  subject: 'uar.v1.ledger.events.append',
  ask: z.strictObject({
    source: InstanceId,
    batch: z.number().int().positive(),
    groups: z.array(EventGroup).min(1).max(mostGrouped),
  }),
  answer: z.strictObject({ appended: z.boolean() }),
  deadlineMs: 5_000,
});

/** What is kept of a run or of the tenant after a place, oldest first; ask again from the last one while there is `more`. */
export const readEvents = exchange({
  subject: 'uar.v1.ledger.events.read',
  ask: z.strictObject({ tenant: TenantId, run_id: RunId.optional(), after: count }),
  answer: z.strictObject({
    groups: z.array(KeptGroup),
    more: z.boolean(),
    /** Place of the newest event there ever was; 0: none. */
    last: count,
    /** Events after `after` are not kept any more. */
    lost: z.boolean(),
  }),
  deadlineMs: 5_000,
});

/** Told after the commit: where the events stand, and the events themselves where all of them are short enough. */
export const eventsAppended = announcement({
  subject: 'uar.v1.event.events.appended',
  body: z.strictObject({
    tenant: TenantId,
    groups: z.array(PlacedGroup.extend({ events_json: z.string().optional() })),
  }),
});
