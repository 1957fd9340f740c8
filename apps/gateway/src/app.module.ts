import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { BUS, type Bus } from '@uar/bus';
import type { ResolvedConfig } from '@uar/config';
import type { Caller, InstanceId } from '@uar/contracts';
import { createSeal, ensureSecretFile } from '@uar/keys';
import { systemClock } from './adapters/clock.js';
import { McpEndpoint } from './adapters/mcp/endpoint.js';
import { SessionDoor, type OpenDecision } from './adapters/mcp/http/session-door.js';
import { SessionPair } from './adapters/mcp/http/session-pair.js';
import { StreamableHttp } from './adapters/mcp/http/streamable-http.js';
import { SessionStore } from './adapters/mcp/session/session-store.js';
import { AskedAgain } from './adapters/mcp/stateless/rounds/asked-again.js';
import { AskedClients } from './adapters/mcp/stateless/rounds/asked-clients.js';
import { RequestStates } from './adapters/mcp/stateless/rounds/request-state.js';
import { StatelessCalls } from './adapters/mcp/stateless/stateless-calls.js';
import { StatelessItems } from './adapters/mcp/stateless/stateless-items.js';
import { StatelessHttp } from './adapters/mcp/stateless/stateless-http.js';
import { StatelessTasks } from './adapters/mcp/tasks/stateless-tasks.js';
import { TaskCalls } from './adapters/mcp/tasks/task-calls.js';
import { Subscriptions } from './adapters/mcp/stateless/subscriptions.js';
import { AgentsController } from './runs/agents.controller.js';
import { ApprovalsController } from './calls/approvals.controller.js';
import type { Assembly } from './assembly/assembly.js';
import { CallsController } from './calls/calls.controller.js';
import { ChangesController } from './servers/changes.controller.js';
import { ExplainController } from './governance/explain.controller.js';
import { DiscoveryController } from './calls/discovery.controller.js';
import { ACCESS } from './domain/access/access.js';
import { EXPLANATIONS } from './domain/access/explanations.js';
import { IDENTITY } from './domain/access/identity.js';
import { AGENT_BOOK } from './domain/agent/agents.js';
import { RESUME_DESK } from './domain/approval/resume-desk.js';
import { VOTE_REVIEW } from './domain/approval/vote-review.js';
import { CALL_PIPELINE } from './domain/call/proposed-call.js';
import { CONNECTED_CLIENTS } from './domain/client/connected-clients.js';
import { CALL_EXPLANATIONS } from './domain/explain/explanation.js';
import { SIMULATIONS } from './domain/explain/simulation.js';
import { EFFECTIVE_CATALOG } from './domain/catalog/effective-catalog.js';
import { Tasks } from './domain/task/tasks.js';
import { WEBHOOK_DELIVERIES } from './domain/delivery.js';
import { ADMIN_RECEIPT } from './domain/receipt/admin-receipt.js';
import { ATTENDED_CALLS } from './domain/execute/attended-calls.js';
import { CALL_LOOKUP } from './domain/execute/call-lookup.js';
import { EXECUTION } from './domain/execute/execution.js';
import { CONNECTION_LIMITS } from './domain/limit/connection-limits.js';
import { TRIAL_LANES } from './domain/limit/lanes.js';
import { catalogFronts } from './domain/front/catalog-fronts.js';
import { FRONTS, type Fronts } from './domain/front/front.js';
import { READINESS } from './domain/readiness.js';
import { RUN_DESK } from './domain/run/run-desk.js';
import { SETTINGS } from './domain/settings/documents.js';
import { KILL_SWITCH } from './domain/settings/kill-switch.js';
import { AccessGuard } from './http/access.guard.js';
import { EDGE } from './http/edge/edge.js';
import { EVENT_STREAMS } from './domain/event/streams.js';
import { EventsController } from './events/events.controller.js';
import { SCOPE_CHECK, scopeRefusal, type ScopeCheck } from './http/scope-refusal.js';
import { ErrorFilter } from './http/error.filter.js';
import { PagesController } from './pages/pages.controller.js';
import { sendRefusalPage } from './pages/refusal-page.js';
import { SignInController } from './pages/sign-in.controller.js';
import { PoliciesController } from './governance/policies.controller.js';
import { ClientsController } from './mcp/clients/clients.controller.js';
import { McpController } from './mcp/mcp.controller.js';
import { OperationsController } from './operations/operations.controller.js';
import { DeliveriesController } from './operations/deliveries.controller.js';
import { ReceiptsController } from './operations/receipts.controller.js';
import { ReplayController } from './governance/replay.controller.js';
import { ReviewController } from './calls/review.controller.js';
import { RunsController } from './runs/runs.controller.js';
import { CallbackController } from './servers/callback.controller.js';
import { ConnectionsController } from './servers/connections.controller.js';
import { ServersController } from './servers/servers.controller.js';
import { SettingsController } from './operations/settings.controller.js';

export interface AppModuleOptions {
  readonly assembly: Assembly;
  readonly bus: Bus;
  readonly config: ResolvedConfig;
  methodsOf(path: string): readonly string[];
}

const controllers = [
  DiscoveryController,
  ExplainController,
  CallsController,
  ServersController,
  ConnectionsController,
  CallbackController,
  ChangesController,
  AgentsController,
  RunsController,
  EventsController,
  ApprovalsController,
  DeliveriesController,
  ReceiptsController,
  OperationsController,
  ReviewController,
  PoliciesController,
  ReplayController,
  SettingsController,
  McpController,
  ClientsController,
  PagesController,
  SignInController,
];

@Module({})
export class AppModule {
  static with({ assembly, bus, config, methodsOf }: AppModuleOptions): DynamicModule {
    const sessions = sessionsOf(assembly, { bus, config });
    const stateless = statelessOf(assembly, config, bus.instance);
    return {
      module: AppModule,
      controllers,
      providers: [
        ...ports(assembly),
        { provide: BUS, useValue: bus },
        { provide: SessionStore, useValue: sessions },
        { provide: FRONTS, useValue: frontsOf(assembly) },
        { provide: SCOPE_CHECK, useValue: scopeCheckOf(assembly) },
        { provide: Subscriptions, useValue: stateless.subscriptions },
        { provide: McpEndpoint, useValue: endpointOf(assembly, sessions, stateless) },
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_FILTER, useValue: errorFilterOf(assembly, methodsOf) },
      ],
    };
  }
}

function errorFilterOf({ fault }: Assembly, methodsOf: AppModuleOptions['methodsOf']): ErrorFilter {
  return new ErrorFilter({ methodsOf, fault, sendPage: sendRefusalPage });
}

function sessionsOf(
  assembly: Assembly,
  { bus, config }: Pick<AppModuleOptions, 'bus' | 'config'>,
): SessionStore {
  return new SessionStore({
    pipeline: assembly.pipeline,
    items: assembly.items,
    clients: assembly.clients,
    gateway: bus.instance,
    waitLimitMs: config.approvals.mcp_wait_seconds * 1000,
    pageUrl: assembly.pageUrl,
    runs: assembly.runDesk,
    lists: assembly.catalog,
  });
}

interface StatelessServing {
  readonly calls: StatelessCalls;
  readonly subscriptions: Subscriptions;
  readonly items: StatelessItems;
  readonly tasks: StatelessTasks;
}

function statelessOf(assembly: Assembly, config: ResolvedConfig, gateway: InstanceId): StatelessServing {
  const { pipeline, parked, parkedHere, pageUrl, catalog, items, clients: news, callClients } = assembly;
  const waitMs = config.approvals.mcp_wait_seconds * 1000;
  const seal = createSeal(ensureSecretFile(config.keys.state_key_file));
  const states = new RequestStates(seal, () => systemClock.now());
  const again = new AskedAgain({ states, parked, news, gateway, waitMs, pageUrl });
  const clients = new AskedClients({ clients: callClients, parked: parkedHere, news, again });
  const taskCalls = taskCallsOf(assembly);
  return {
    calls: new StatelessCalls({ pipeline, again, clients, taskCalls, waitLimitMs: waitMs }),
    tasks: new StatelessTasks({ tasks: new Tasks(assembly.attended), calls: taskCalls }),
    subscriptions: new Subscriptions(catalog, news),
    items: new StatelessItems({ items, gateway, again, clients }),
  };
}

function taskCallsOf({ replica: catalog, catalog: effective, execution, pageUrl }: Assembly): TaskCalls {
  return new TaskCalls({ catalog, effective, execution, clock: systemClock, pageUrl });
}

function frontsOf(assembly: Assembly): Fronts {
  const { catalog: effective, replica: catalog, items, runtimeFront: runtime } = assembly;
  return { ...catalogFronts({ effective, catalog, items }), runtime };
}

function ports(assembly: Assembly) {
  return [
    { provide: CALL_PIPELINE, useValue: assembly.pipeline },
    { provide: CONNECTED_CLIENTS, useValue: assembly.clients },
    { provide: EFFECTIVE_CATALOG, useValue: assembly.catalog },
    { provide: IDENTITY, useValue: assembly.identity },
    { provide: SETTINGS, useValue: assembly.settings },
    { provide: KILL_SWITCH, useValue: assembly.killSwitch },
    { provide: RUN_DESK, useValue: assembly.runDesk },
    { provide: AGENT_BOOK, useValue: assembly.agentBook },
    { provide: ACCESS, useValue: assembly.pdp },
    { provide: EXPLANATIONS, useValue: assembly.explanations },
    { provide: CALL_EXPLANATIONS, useValue: assembly.callExplanations },
    { provide: SIMULATIONS, useValue: assembly.simulations },
    { provide: EXECUTION, useValue: assembly.execution },
    { provide: ATTENDED_CALLS, useValue: assembly.attended },
    { provide: CALL_LOOKUP, useValue: assembly.lookup },
    { provide: VOTE_REVIEW, useValue: assembly.votes },
    { provide: RESUME_DESK, useValue: assembly.resumeDesk },
    { provide: READINESS, useValue: assembly.readiness },
    { provide: CONNECTION_LIMITS, useValue: assembly.connectionLimits },
    { provide: TRIAL_LANES, useValue: assembly.trialLanes },
    { provide: WEBHOOK_DELIVERIES, useValue: assembly.webhookOutbox },
    { provide: ADMIN_RECEIPT, useValue: assembly.adminReceipt },
    { provide: EVENT_STREAMS, useValue: assembly.streams },
    { provide: EDGE, useValue: assembly.edge },
  ];
}

function scopeCheckOf(assembly: Assembly): ScopeCheck {
  return (question) => scopeRefusal(assembly, question);
}

function endpointOf(assembly: Assembly, sessions: SessionStore, stateless: StatelessServing): McpEndpoint {
  const { pdp, edge } = assembly;
  const mayList = async (caller: Caller): Promise<OpenDecision> => {
    const allowance = await pdp.may(caller, { kind: 'list_tools' });
    if (allowance.kind === 'unavailable') return 'unavailable';
    return allowance.kind === 'allowed' ? 'allow' : 'deny';
  };
  const door = new SessionDoor(sessions, mayList);
  const publicPathOf = (path: string): string => new URL(edge.urlOf(path)).pathname;
  return new McpEndpoint({
    sessions,
    streamable: new StreamableHttp(door, sessions),
    pair: new SessionPair({ door, sessions, publicPathOf }),
    stateless: new StatelessHttp({ ...stateless, mayList }),
  });
}
