import { service as approvalService } from '@uar/approval-service/module';
import { createHub } from '@uar/bus';
import { service as catalogRegistry } from '@uar/catalog-registry/module';
import type { ResolvedConfig } from '@uar/config';
import { service as gateway } from '@uar/gateway/module';
import { service as governanceDecider } from '@uar/governance-decider/module';
import { service as mcpConnector } from '@uar/mcp-connector/module';
import { service as nativeToolHost } from '@uar/native-tool-host/module';
import type { Endpoints, RunningService, ServiceDefinition } from '@uar/service';
import { createLog } from '@uar/telemetry';
import { before, startRows, type Plane } from './plane.js';

const definitions: Readonly<Record<(typeof startRows)[number][number], ServiceDefinition>> = {
  'approval-service': approvalService,
  'catalog-registry': catalogRegistry,
  'governance-decider': governanceDecider,
  'mcp-connector': mcpConnector,
  'native-tool-host': nativeToolHost,
  gateway,
};

/** Every service in this process, on the in-process bus. Rejects when one does not start; the others are stopped then. */
export async function startInOneProcess(options: { config: ResolvedConfig }): Promise<Plane> {
  const { config } = options;
  const hub = createHub();
  const running: RunningService[] = [];
  const start = async (name: keyof typeof definitions): Promise<void> => {
    const log = createLog({ service: name, level: config.log_level });
    running.push(await definitions[name].start({ config, bus: hub.connect({ service: name, log }), log }));
  };
  const stop = async (deadlineAt: number): Promise<readonly string[]> => {
    const late: string[] = [];
    for (const service of [...running].reverse())
      if ((await before(deadlineAt, stopped(service))) === undefined) late.push(service.name);
    await before(deadlineAt + 1_000, hub.close());
    return late;
  };
  try {
    for (const row of startRows) await allOrFirstFailure(row.map(start));
    return { ...listenersOf(running), problems: () => problemsOf(running), stop };
  } catch (error) {
    await stop(Date.now() + 5_000);
    throw error;
  }
}

/** Waits for all, so that nothing starts behind the back of the one who then stops what has started. */
async function allOrFirstFailure(starts: readonly Promise<void>[]): Promise<void> {
  for (const settled of await Promise.allSettled(starts))
    if (settled.status === 'rejected') throw settled.reason;
}

async function stopped(service: RunningService): Promise<true> {
  await service.stop();
  return true;
}

function listenersOf(running: readonly RunningService[]): Endpoints {
  const endpoints = running.map((service) => service.endpoints?.()).find((found) => found !== undefined);
  if (endpoints === undefined) throw new Error('the gateway does not say where it listens');
  return endpoints;
}

async function problemsOf(running: readonly RunningService[]): Promise<readonly string[]> {
  const all = await Promise.all(
    running.map(async (service) => {
      const { ready, problems } = await service.readiness();
      if (ready) return [];
      return problems.length === 0
        ? [`${service.name} is not ready`]
        : problems.map((text) => `${service.name}: ${text}`);
    }),
  );
  return all.flat();
}
