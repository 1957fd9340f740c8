import { EventDesk } from '@uar/events';
import { microservice } from '@uar/service';
import { RegistryLoop } from './adapters/registry-loop.js';
import { AppModule } from './app.module.js';

/** How long the last events may take to be written. */
const lastEventsMs = 500;

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
  stop: async (app) => {
    app.get(RegistryLoop).stop();
    await app.get(EventDesk).close(lastEventsMs);
  },
});
