import { microservice } from '@uar/service';
import { LedgerReceipts } from './adapters/ledger-receipts.js';
import { RegistryLoop } from './adapters/registry-loop.js';
import { AppModule } from './app.module.js';

export const service = microservice({
  name: 'catalog-registry',
  module: (context) => AppModule.with(context),
  started: (app) => {
    app.get(RegistryLoop).start();
    return Promise.resolve();
  },
  readiness: (app) => {
    const problems = [...app.get(RegistryLoop).problems(), ...app.get(LedgerReceipts).problems()];
    return Promise.resolve({ ready: problems.length === 0, problems });
  },
  stop: async (app) => {
    app.get(RegistryLoop).stop();
    await app.get(LedgerReceipts).stop();
  },
});
