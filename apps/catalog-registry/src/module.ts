import { microservice } from '@uar/service';
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
    const problems = app.get(RegistryLoop).problems();
    return Promise.resolve({ ready: problems.length === 0, problems });
  },
  stop: (app) => {
    app.get(RegistryLoop).stop();
    return Promise.resolve();
  },
});
