import { microservice, type ServiceDefinition } from '@uar/service';
import { ExpiryTimer } from './adapters/expiry-timer.js';
import { GatewayWatch } from './adapters/gateway-watch.js';
import type { RunningCourier } from './adapters/webhook/open-courier.js';
import { AppModule } from './app.module.js';
import { LedgerStatus } from './ledger-status.js';
import { COURIER } from './tokens.js';

export const service: ServiceDefinition = microservice({
  name: 'approval-service',
  module: (context) => AppModule.with(context),
  readiness: async (app) => {
    const { writable, problem } = await app.get(LedgerStatus).read();
    return { ready: writable, problems: problem === undefined ? [] : [problem] };
  },
  stop: async (app) => {
    await Promise.all([app.get(ExpiryTimer).stop(), app.get(GatewayWatch).stop()]);
    await app.get<RunningCourier>(COURIER).stop();
  },
});
