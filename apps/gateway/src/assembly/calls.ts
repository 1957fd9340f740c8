import { CatalogReplica } from '@uar/catalog';
import { textDigest } from '@uar/json-text';
import { EventDesk } from '@uar/events';
import type { ServiceContext } from '@uar/service';
import { adminReceipt } from '@uar/settings';
import { BusApprovals } from '../adapters/bus/approvals.js';
import { HostPulse } from '../adapters/bus/host-pulse.js';
import { BusHosts } from '../adapters/bus/hosts.js';
import { LedgerKeptCalls } from '../adapters/bus/kept-calls.js';
import { ParkedAnywhere } from '../adapters/bus/parked/parked-anywhere.js';
import { BusPdp } from '../adapters/bus/pdp.js';
import { ReceiptDesk } from '../adapters/bus/receipt-desk.js';
import { SealedCallerTokens } from '../adapters/bus/sealed-caller-tokens.js';
import { CallMetrics } from '../adapters/call-metrics.js';
import { systemClock } from '../adapters/clock.js';
import { newApprovalId, newCallId, newFaultId } from '../adapters/new-ids.js';
import { ArgumentSchemas } from '../adapters/schemas/argument-schemas.js';
import { ApprovalStage } from '../domain/approval/approval-stage.js';
import { ParkedCalls } from '../domain/approval/parked-calls.js';
import { ResumeDesk } from '../domain/approval/resume-desk.js';
import { Release } from '../domain/approval/release.js';
import { VoteReview } from '../domain/approval/vote-review.js';
import { WaitingRoom } from '../domain/approval/waiting-room.js';
import { PermissionStage } from '../domain/call/permission.js';
import { Pipeline, type PipelineParts } from '../domain/call/pipeline.js';
import type { FaultLog, Hosts } from '../domain/call/ports.js';
import { ToolStages } from '../domain/call/tool-stages.js';
import { Slots } from '../domain/call/slots.js';
import { Staging } from '../domain/call/staging.js';
import { Dispatcher } from '../domain/dispatch/dispatcher.js';
import { Placement } from '../domain/dispatch/placement.js';
import { EndedCalls } from '../domain/execute/ended-calls.js';
import { Execution } from '../domain/execute/execution.js';
import { RuntimeCatalog } from '../runtime/runtime-catalog.js';
import { ItemStages } from '../domain/item/item-stages.js';
import { assembleLimits } from './limits.js';
import { assembleRuntime } from './runtime.js';
import type { AdminReceipt } from '../domain/receipt/admin-receipt.js';
import type { ReceiptSetting } from '../domain/receipt/receipt-bodies.js';
import type { RunFrames } from '../domain/run/run-frames.js';
import { Edge } from '../http/edge/edge.js';

/** What the calls of a gateway meet the world through. */
export interface CallPorts extends ReturnType<typeof assemblePorts> {
  readonly context: ServiceContext;
  readonly runs: RunFrames;
}

const clock = systemClock;

export function assemblePorts(context: ServiceContext) {
  const { bus, log, config } = context;
  const metrics = new CallMetrics();
  const replica = new CatalogReplica({ bus, log });
  const pulse = new HostPulse(bus);
  return {
    metrics,
    edge: new Edge(config, (cause) => metrics.unauthorized(cause)),
    events: eventDeskOf(context, metrics),
    replica,
    runtime: new RuntimeCatalog(replica, bus.instance),
    pdp: new BusPdp(bus),
    receipts: new ReceiptDesk(bus, log),
    approvals: new BusApprovals(bus),
    hosts: new BusHosts(bus, pulse),
    callerTokens: new SealedCallerTokens(pulse, clock),
    kept: new LedgerKeptCalls(bus, log, clock.now),
    schemas: new ArgumentSchemas(),
  };
}

function eventDeskOf({ bus, log }: ServiceContext, metrics: CallMetrics): EventDesk {
  const onDropped = (count: number): void => metrics.eventsDropped(count);
  return new EventDesk({ bus, log, now: clock.now, onDropped });
}

export function assembleCalls(ports: CallPorts) {
  const { context, metrics, pdp, receipts, approvals, kept } = ports;
  const fault = faultLogOf(context);
  const setting = receiptSettingOf(context);
  const room = new WaitingRoom();
  const endedCalls = new EndedCalls();
  const own = assembleRuntime(ports, (callId) => pipeline.callerOf(callId));
  const rated = assembleLimits({ ...context, replica: ports.replica });
  const pipeline: Pipeline = new Pipeline({
    ...stagesOf(ports, { room, setting, fault, hosts: own.host }),
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
    gateway: context.bus.instance,
    flushReceipts: () => receipts.flush(),
    newCallId,
    digest: textDigest,
  });
  return {
    ...{ ...rated, runtimeFront: own.front, ownRequests: own.requests },
    ...{ pipeline, room, endedCalls, execution, votes: new VoteReview(room, pdp), fault },
    ...parkedCallsOf(ports, parkedOf({ pipeline, endedCalls, execution })),
  };
}

function faultLogOf({ log }: ServiceContext): FaultLog {
  return (error, callId) => {
    const faultId = newFaultId();
    log.error({ err: error, fault_id: faultId, call_id: callId }, 'a fault of the gateway');
    return faultId;
  };
}

function parkedOf({ pipeline, endedCalls: ended, execution }: Begun): ParkedCalls {
  return new ParkedCalls({
    ...{ ended, clock },
    running: (callId) => pipeline.running(callId),
    leave: (handle) => execution.leave(handle),
  });
}

interface Begun {
  readonly pipeline: Pipeline;
  readonly endedCalls: EndedCalls;
  readonly execution: Execution;
}

function parkedCallsOf({ context: { bus }, hosts }: CallPorts, here: ParkedCalls) {
  const parked = new ParkedAnywhere({ bus, here, hosts, clock });
  return { resumeDesk: new ResumeDesk(here), parkedHere: here, parked };
}

interface CallShared {
  readonly room: WaitingRoom;
  readonly setting: ReceiptSetting;
  readonly hosts: Hosts;
  readonly fault: FaultLog;
}

function stagesOf(
  {
    context: { config, bus },
    edge,
    runtime,
    runs,
    pdp,
    receipts,
    approvals,
    schemas,
    callerTokens,
  }: CallPorts,
  { room, setting, fault, hosts }: CallShared,
): Pick<PipelineParts, 'stages' | 'slots'> {
  const placement = new Placement(runtime, clock);
  const slots = new Slots(config.limits.calls_in_flight);
  const release = new Release({ pdp, approvals, catalog: runtime, runs, placement, clock, setting });
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
  const dispatcher = new Dispatcher({ hosts, callerTokens, placement, clock, fault, mostResultBytes });
  const common = { catalog: runtime, runs, pdp, placement, dispatcher, clock };
  const tool = new ToolStages({
    staging: new Staging({ ...common, schemas, mostArgumentBytes }),
    permission: new PermissionStage({ ...common, receipts, approvals: approvalStage, setting }),
    dispatcher,
  });
  return { stages: { tool, item: new ItemStages({ ...common, mostParamBytes: mostArgumentBytes }) }, slots };
}

export function pageUrlOf(edge: Edge): (approvalId: string) => string {
  return (approvalId) => edge.urlOf(`/approvals/${approvalId}`);
}

function receiptSettingOf(context: ServiceContext): ReceiptSetting {
  return { profile: context.config.profile, governance: governanceOf(context), digest: textDigest };
}

export function adminReceiptOf(context: ServiceContext): AdminReceipt {
  const { profile } = context.config;
  const governance = governanceOf(context);
  return (by, action) => adminReceipt(by, action, { profile, governance, at: clock.now() });
}

export function governanceOf({ config }: ServiceContext): 'on' | 'off' {
  return config.governance.enabled ? 'on' : 'off';
}
