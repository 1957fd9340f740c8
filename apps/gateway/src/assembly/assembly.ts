import { CatalogReplica } from '@uar/catalog';
import { createTokenVerifier, type TokenVerifier } from '@uar/identity';
import { textDigest } from '@uar/json-text';
import { EventDesk } from '@uar/events';
import type { ServiceContext } from '@uar/service';
import { BusApprovals } from '../adapters/bus/approvals.js';
import { BusHosts } from '../adapters/bus/hosts.js';
import { LedgerKeptCalls } from '../adapters/bus/kept-calls.js';
import { BusPdp } from '../adapters/bus/pdp.js';
import { ReceiptDesk } from '../adapters/bus/receipt-desk.js';
import { WebhookOutbox } from '../adapters/bus/webhook-outbox.js';
import { CallMetrics } from '../adapters/call-metrics.js';
import { systemClock } from '../adapters/clock.js';
import { newApprovalId, newCallId, newFaultId } from '../adapters/new-ids.js';
import { ProbedReadiness } from '../adapters/probed-readiness.js';
import { ArgumentSchemas } from '../adapters/schemas/argument-schemas.js';
import { TokenIdentity } from '../adapters/token-identity.js';
import { Explanations } from '../domain/access/explanations.js';
import { ApprovalStage } from '../domain/approval/approval-stage.js';
import { Release } from '../domain/approval/release.js';
import { VoidApprovals } from '../domain/approval/void-approvals.js';
import { VoteReview } from '../domain/approval/vote-review.js';
import { WaitingRoom } from '../domain/approval/waiting-room.js';
import { PermissionStage } from '../domain/call/permission.js';
import { Pipeline, type PipelineParts } from '../domain/call/pipeline.js';
import { Slots } from '../domain/call/slots.js';
import { Staging } from '../domain/call/staging.js';
import { Dispatcher } from '../domain/dispatch/dispatcher.js';
import { Placement } from '../domain/dispatch/placement.js';
import { CallLookup } from '../domain/execute/call-lookup.js';
import { EndedCalls } from '../domain/execute/ended-calls.js';
import { Execution } from '../domain/execute/execution.js';
import { EventSockets } from '../events/event-sockets.js';
import { assembleStreams } from './events.js';
import { assembleExplain } from './explain.js';
import { assembleLimits } from './limits.js';
import { assembleRunDesk, assembleRuns } from './runs.js';
import { assembleSettings } from './settings.js';
import type { ReceiptSetting } from '../domain/receipt/receipt-bodies.js';
import type { RunFrames } from '../domain/run/run-frames.js';
import { Edge } from '../http/edge.js';

/** Everything the gateway is made of: which adapter stands behind which port. */
export type Assembly = ReturnType<typeof assemble>;

const clock = systemClock;

export function assemble(context: ServiceContext) {
  const { bus, log, config } = context;
  const metrics = new CallMetrics();
  const replica = new CatalogReplica({ bus, log });
  const runParts = assembleRuns(context);
  const { runs, scopes } = runParts;
  const verifier = createTokenVerifier({ security: config.security, profile: config.profile });
  const pdp = new BusPdp(bus);
  const receipts = new ReceiptDesk(bus, log);
  const approvals = new BusApprovals(bus);
  const hosts = new BusHosts(bus);
  const edge = new Edge(config, (cause) => metrics.unauthorized(cause));
  const kept = new LedgerKeptCalls(bus, log, clock.now);
  const schemas = new ArgumentSchemas();
  const events = eventDeskOf(context, metrics);
  const ports = { context, edge, events, metrics, replica, runs, pdp, receipts, approvals, hosts, kept, schemas };
  const calls = assembleCalls(ports);
  const { pipeline, room, endedCalls } = calls;
  const identity = identityOf(context, verifier, runs);
  const desks = assembleRunDesk(context, runParts, { replica, pdp, pipeline });
  const following = assembleStreams(context, { runs: desks.runDesk, access: pdp });
  watch(ports, calls, following.streams);
  return {
    ...calls,
    ...desks,
    ...following,
    events,
    ...assembleSettings(context, room),
    ...assembleExplain(context, { replica, runs, schemas }),
    schemas,
    ...{ metrics, replica, runs },
    voidApprovals: voidApprovalsOf(replica, room),
    ...{ verifier, pdp, receipts, approvals, hosts },
    ...{ identity, edge, pageUrl: pageUrlOf(edge) },
    webhookOutbox: webhookOutboxOf(context, metrics),
    eventSockets: new EventSockets({ edge, identity, streams: following.streams, fault: calls.fault }),
    explanations: new Explanations(pdp, clock),
    lookup: new CallLookup({ pipeline, ended: endedCalls, kept, access: pdp, clock }),
    readiness: readinessOf(context, { replica, scopes, receipts, verifier }),
  };
}

function eventDeskOf({ bus, log }: ServiceContext, metrics: CallMetrics): EventDesk {
  const onDropped = (count: number): void => metrics.eventsDropped(count);
  return new EventDesk({ bus, log, now: clock.now, onDropped });
}

function watch(
  { metrics, receipts, events }: CallPorts,
  { pipeline, room }: ReturnType<typeof assembleCalls>,
  streams: { readonly size: number },
): void {
  metrics.watch({
    inFlight: () => pipeline.inFlight,
    waiting: () => room.size,
    unwrittenReceipts: () => receipts.unwritten,
    refusedReceipts: () => receipts.refused,
    unsentEvents: () => events.unsent,
    eventStreams: () => streams.size,
  });
}

interface CallPorts {
  readonly context: ServiceContext;
  readonly edge: Edge;
  readonly events: EventDesk;
  readonly metrics: CallMetrics;
  readonly replica: CatalogReplica;
  readonly runs: RunFrames;
  readonly pdp: BusPdp;
  readonly receipts: ReceiptDesk;
  readonly approvals: BusApprovals;
  readonly hosts: BusHosts;
  readonly kept: LedgerKeptCalls;
  readonly schemas: ArgumentSchemas;
}

function assembleCalls(ports: CallPorts) {
  const { context, metrics, pdp, receipts, approvals, kept } = ports;
  const { log } = context;
  const fault = (error: unknown, callId?: string): string => {
    const faultId = newFaultId();
    log.error({ err: error, fault_id: faultId, call_id: callId }, 'a fault of the gateway');
    return faultId;
  };
  const setting = receiptSettingOf(context);
  const room = new WaitingRoom();
  const endedCalls = new EndedCalls();
  const rated = assembleLimits({ ...context, replica: ports.replica });
  const pipeline = new Pipeline({
    ...stagesOf(ports, { room, setting, fault }),
    approvals,
    receipts,
    room,
    limits: rated.callLimits,
    clock,
    setting,
    fault,
    events: ports.events,
    onEnd: (ended, owner) => {
      metrics.ended(ended);
      endedCalls.remember(owner, ended);
    },
    newCallId,
  });
  const execution = new Execution({
    pipeline,
    kept,
    clock,
    flushReceipts: () => receipts.flush(),
    newCallId,
    digest: textDigest,
  });
  return { ...rated, pipeline, room, endedCalls, execution, votes: new VoteReview(room, pdp), fault };
}

interface CallShared {
  readonly room: WaitingRoom;
  readonly setting: ReceiptSetting;
  fault(error: unknown, callId?: string): string;
}

function stagesOf(
  { context: { config, bus }, edge, replica, runs, pdp, receipts, approvals, hosts, schemas }: CallPorts,
  { room, setting, fault }: CallShared,
): Pick<PipelineParts, 'staging' | 'permission' | 'dispatcher' | 'slots'> {
  const placement = new Placement(replica, clock);
  const slots = new Slots(config.limits.calls_in_flight);
  const release = new Release({ pdp, approvals, catalog: replica, runs, placement, clock, setting });
  const approvalStage = new ApprovalStage({
    approvals,
    room,
    release,
    slots,
    clock,
    gateway: bus.instance,
    timeoutMs: config.approvals.timeout_seconds * 1000,
    newApprovalId,
    pageUrl: pageUrlOf(edge),
  });
  const mostArgumentBytes = config.limits.arguments_kb * 1024;
  const mostResultBytes = config.limits.result_kb * 1024;
  return {
    staging: new Staging({ catalog: replica, runs, schemas, pdp, mostArgumentBytes }),
    permission: new PermissionStage({ pdp, receipts, approvals: approvalStage, placement, clock, setting }),
    dispatcher: new Dispatcher({ hosts, placement, clock, fault, mostResultBytes }),
    slots,
  };
}

function identityOf({ config }: ServiceContext, verifier: TokenVerifier, runs: RunFrames): TokenIdentity {
  const { anonymous, require_scopes } = config.security;
  return new TokenIdentity({ verifier, runs, anonymous, requireScopes: require_scopes });
}

function readinessOf(
  context: ServiceContext,
  parts: {
    replica: CatalogReplica;
    scopes: { readonly ready: boolean };
    receipts: ReceiptDesk;
    verifier: TokenVerifier;
  },
): ProbedReadiness {
  return new ProbedReadiness({
    bus: context.bus,
    catalogReady: () => parts.replica.ready,
    scopesReady: () => parts.scopes.ready,
    acceptsReceipts: () => parts.receipts.accepting(),
    tokenProblem: () => parts.verifier.problem(),
    governance: governanceOf(context),
  });
}

function pageUrlOf(edge: Edge): (approvalId: string) => string {
  return (approvalId) => edge.urlOf(`/approvals/${approvalId}`);
}

function webhookOutboxOf(context: ServiceContext, metrics: CallMetrics): WebhookOutbox {
  const { bus, config } = context;
  const setting = { profile: config.profile, governance: governanceOf(context), now: clock.now };
  return new WebhookOutbox(bus, setting, (result) => metrics.webhookAttempted(result));
}

function voidApprovalsOf(replica: CatalogReplica, room: WaitingRoom): VoidApprovals {
  const approvals = new VoidApprovals({ room, catalog: replica, clock });
  replica.onChange(() => approvals.enforce());
  return approvals;
}

function receiptSettingOf(context: ServiceContext): ReceiptSetting {
  return { profile: context.config.profile, governance: governanceOf(context), digest: textDigest };
}

function governanceOf({ config }: ServiceContext): 'on' | 'off' {
  return config.governance.enabled ? 'on' : 'off';
}
