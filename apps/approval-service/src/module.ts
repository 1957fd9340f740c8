import { microservice, type ServiceDefinition } from '@uar/service';
import { AppModule } from './app.module.js';
import { Background } from './background.js';
import { LedgerStatus } from './ledger-status.js';

export const service: ServiceDefinition = microservice({
  name: 'approval-service',
  module: (context) => AppModule.with(context),
  readiness: async (app) => {
    const { writable, problem } = await app.get(LedgerStatus).read();
    return { ready: writable, problems: problem === undefined ? [] : [problem] };
  },
  stop: (app) => app.get(Background).stop(),
});
