import type { INestApplicationContext } from '@nestjs/common';
import { microservice, type ServiceDefinition } from '@uar/service';
import { sweepOrphans } from '@uar/sandbox';
import { AccountNews } from './adapters/accounts/account-news.js';
import { Beacon } from './adapters/beacon.js';
import { WantedServers } from './adapters/wanted-servers.js';
import { McpConnectorModule } from './app.module.js';
import { Fleet } from './domain/fleet.js';

/** Left for the children after running calls had their time. */
const closingMs = 6_000;

/** Host of granted calls to upstream MCP servers. */
export const service: ServiceDefinition = {
  name: 'mcp-connector',
  start: async (context) => {
    const swept = await sweepOrphans(context.config.data_dir);
    if (swept > 0) context.log.warn({ swept }, 'ended processes that a killed connector had left');
    const graceMs = context.config.server.shutdown_grace_seconds * 1000;
    const connector = microservice({
      name: 'mcp-connector',
      module: (given) => McpConnectorModule.with(given),
      readiness: (app) => Promise.resolve(readiness(app)),
      stop: (app) => stop(app, Math.max(0, graceMs - closingMs)),
    });
    return await connector.start(context);
  },
};

function readiness(app: INestApplicationContext): { ready: boolean; problems: string[] } {
  const problems = app.get(WantedServers).isKnown ? [] : ['the registry has not named the servers yet'];
  return { ready: problems.length === 0, problems };
}

async function stop(app: INestApplicationContext, callGraceMs: number): Promise<void> {
  const beacon = app.get(Beacon);
  app.get(WantedServers).stop();
  app.get(AccountNews).stop();
  beacon.announceStopping();
  await app.get(Fleet).stop(callGraceMs);
  beacon.stop();
}
