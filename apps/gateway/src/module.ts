import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { BusStrategy } from '@uar/bus';
import { urlOf } from '@uar/config';
import { nestLog, type RunningService, type ServiceContext, type ServiceDefinition } from '@uar/service';
import { ServedMethods, fastifyServer } from './adapters/http/fastify-server.js';
import { takeUpgrades } from './adapters/http/upgrades.js';
import { listenForManagement, type Management } from './adapters/http/management.js';
import { SessionStore } from './adapters/mcp/session/session-store.js';
import { Subscriptions } from './adapters/mcp/stateless/subscriptions.js';
import { AppModule } from './app.module.js';
import { assemble, type Assembly } from './assembly/assembly.js';

export { openApiDocument } from './http/openapi.js';

/** Where a running gateway is reached. */
export type GatewayEndpoints = {
  readonly gateway: string;
  readonly management: string;
};

export interface RunningGateway extends RunningService {
  endpoints(): GatewayEndpoints;
}

export interface GatewayDefinition extends ServiceDefinition {
  start(context: ServiceContext): Promise<RunningGateway>;
}

/** Time kept back from the grace for receipts and the bus. */
const lastStepsMs = 3_000;

/** Events are worth less than receipts. */
const lastEventsMs = 1_000;

export const service: GatewayDefinition = {
  name: 'gateway',
  start: async (context) => {
    const assembly = assemble(context);
    const app = await createApp(context, assembly);
    await Promise.all([assembly.replica.start(), assembly.followSettings(), assembly.followRuns()]);
    assembly.followLimits();
    takeUpgrades(app.getHttpServer(), {
      takes: (request) => assembly.eventSockets.takes(request),
      take: (upgrade) => assembly.eventSockets.take(upgrade),
    });
    await app.startAllMicroservices();
    const { server } = context.config;
    await app.listen(server.port, server.host);
    assembly.edge.listensAt(gatewayUrl(context, app));
    const management = await listenForManagement({
      host: server.management_host,
      port: server.management_port,
      metrics: assembly.metrics.registry,
      readiness: assembly.readiness,
    });
    return running({ context, assembly, app, management });
  },
};

async function createApp(
  { bus, config, log }: ServiceContext,
  assembly: Assembly,
): Promise<NestFastifyApplication> {
  const adapter = fastifyServer(config, assembly.edge);
  const served = new ServedMethods(adapter.getInstance());
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with({ assembly, bus, config, methodsOf: (path) => served.of(path) }),
    adapter,
    { bodyParser: false, logger: nestLog(log), abortOnError: false },
  );
  assembly.ownRequests.serveBy(async ({ method, url, body, authorization }) => {
    const { statusCode, payload } = await adapter.getInstance().inject({
      ...{ method, url },
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { payload: body }),
    });
    return { status: statusCode, text: payload };
  });
  app.connectMicroservice({ strategy: new BusStrategy(bus) }, { inheritAppConfig: false });
  return app;
}

interface Parts {
  readonly context: ServiceContext;
  readonly assembly: Assembly;
  readonly app: NestFastifyApplication;
  readonly management: Management;
}

function running(parts: Parts): RunningGateway {
  const { context, assembly, app, management } = parts;
  const endpoints = { gateway: gatewayUrl(context, app), management: management.url };
  let stopped: Promise<void> | undefined;
  return {
    name: 'gateway',
    endpoints: () => endpoints,
    readiness: async () => {
      const { ready, problems } = await assembly.readiness.view();
      return { ready, problems: problems.map(({ detail }) => detail) };
    },
    stop: () => (stopped ??= stop(parts)),
  };
}

async function stop({ context: { bus, config }, assembly, app, management }: Parts): Promise<void> {
  const graceMs = Math.max(0, config.server.shutdown_grace_seconds * 1000 - lastStepsMs);
  assembly.readiness.stop();
  assembly.stopStreams();
  assembly.callClients.close();
  await within(graceMs, assembly.pipeline.close());
  app.get(Subscriptions).close();
  await within(lastStepsMs, app.get(SessionStore).close());
  const closed = app.close();
  await within(1_000, closed);
  assembly.eventSockets.close();
  app.getHttpServer().closeAllConnections();
  await closed;
  await Promise.all([assembly.receipts.close(lastStepsMs), assembly.events.close(lastEventsMs)]);
  assembly.catalog.close();
  assembly.stopItems();
  assembly.replica.stop();
  assembly.voidApprovals.close();
  assembly.stopSettings();
  assembly.stopLimits();
  assembly.stopRuns();
  assembly.stopNews();
  assembly.approvals.close();
  assembly.webhookOutbox.close();
  assembly.hosts.close();
  assembly.verifier.close();
  await assembly.schemas.stop();
  await management.close();
  await bus.drain(lastStepsMs);
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

function gatewayUrl({ config: { server } }: ServiceContext, app: NestFastifyApplication): string {
  const address = app.getHttpServer().address();
  if (address === null || typeof address === 'string') throw new Error('the gateway has no port');
  return urlOf(server, address.port);
}
