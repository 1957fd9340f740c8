import type { CatalogReplica } from '@uar/catalog';
import { createTokenVerifier, type TokenVerifier } from '@uar/identity';
import type { ServiceContext } from '@uar/service';
import type { ReceiptDesk } from '../adapters/bus/receipt-desk.js';
import { CallsElsewhere } from '../adapters/bus/parked/calls-elsewhere.js';
import { WebhookOutbox } from '../adapters/bus/webhook-outbox.js';
import type { CallMetrics } from '../adapters/call-metrics.js';
import { systemClock } from '../adapters/clock.js';
import { ProbedReadiness } from '../adapters/probed-readiness.js';
import { TokenIdentity, type IdentityOptions } from '../adapters/token-identity.js';
import { Explanations } from '../domain/access/explanations.js';
import { VoidApprovals } from '../domain/approval/void-approvals.js';
import type { WaitingRoom } from '../domain/approval/waiting-room.js';
import { AttendedCalls } from '../domain/execute/attended-calls.js';
import type { CallId } from '@uar/contracts';
import type { Pipeline } from '../domain/call/pipeline.js';
import type { KeptCalls } from '../domain/execute/kept-calls.js';
import { CallLookup } from '../domain/execute/call-lookup.js';
import { EventSockets } from '../events/event-sockets.js';
import { assembleClients } from './clients.js';
import { assembleStreams } from './events.js';
import { assembleExplain } from './explain.js';
import { assembleItems } from './items.js';
import { assembleRunDesk, assembleRuns } from './runs.js';
import { assembleSettings } from './settings.js';
import {
  adminReceiptOf,
  assembleCalls,
  assemblePorts,
  governanceOf,
  pageUrlOf,
  type CallPorts,
} from './calls.js';

/** Everything the gateway is made of: which adapter stands behind which port. */
export type Assembly = ReturnType<typeof assemble>;

const clock = systemClock;

export function assemble(context: ServiceContext) {
  const { config } = context;
  const runParts = assembleRuns(context);
  const { runs, scopes } = runParts;
  const ports = { context, runs, ...assemblePorts(context) };
  const { edge, metrics, replica, pdp, receipts, schemas, kept } = ports;
  const verifier = createTokenVerifier({ security: config.security, profile: config.profile });
  const calls = assembleCalls(ports);
  const { pipeline, room, endedCalls } = calls;
  const identity = identityOf(context, { verifier, runs, ownRequests: calls.ownRequests });
  const desks = assembleRunDesk(context, runParts, { replica, pdp, pipeline });
  const following = assembleStreams(context, { runs: desks.runDesk, access: pdp, fault: calls.fault });
  watch(ports, calls, following.streams);
  const attended = attendedOf(context, kept, pipeline);
  return {
    ...ports,
    ...calls,
    ...desks,
    ...following,
    ...assembleSettings(context, room),
    ...assembleExplain(context, { replica, runs, schemas }),
    ...assembleItems({ ...ports, bus: context.bus, pipeline: calls.pipeline }),
    ...assembleClients(context),
    ...{ verifier, identity },
    voidApprovals: voidApprovalsOf(replica, room),
    pageUrl: pageUrlOf(edge),
    webhookOutbox: webhookOutboxOf(context, metrics),
    adminReceipt: adminReceiptOf(context),
    eventSockets: new EventSockets({ edge, identity, streams: following.streams, fault: calls.fault }),
    explanations: new Explanations(pdp, clock),
    ...{ attended, lookup: new CallLookup({ pipeline, ended: endedCalls, kept, access: pdp, attended }) },
    readiness: readinessOf(context, { replica, scopes, receipts, verifier }),
  };
}

function attendedOf({ bus }: ServiceContext, kept: KeptCalls, pipeline: Pipeline): AttendedCalls {
  const elsewhere = new CallsElsewhere(bus);
  const asksOf = (callId: CallId) => pipeline.running(callId)?.client?.asks;
  return new AttendedCalls({ pipeline, kept, elsewhere, gateway: bus.instance, clock, asksOf });
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

function identityOf(
  { config }: ServiceContext,
  parts: Pick<IdentityOptions, 'verifier' | 'runs' | 'ownRequests'>,
): TokenIdentity {
  const { anonymous, require_scopes } = config.security;
  return new TokenIdentity({ ...parts, anonymous, requireScopes: require_scopes });
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
