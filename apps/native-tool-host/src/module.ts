import { microservice, type ServiceDefinition } from '@uar/service';
import { HostBeat } from './adapters/host-beat.js';
import { NativeToolHostModule } from './app.module.js';
import { CallDesk } from './domain/call-desk.js';

export const service: ServiceDefinition = microservice({
  name: 'native-tool-host',
  module: (context) => NativeToolHostModule.with(context),
  started(app) {
    app.get(HostBeat).start();
    return Promise.resolve();
  },
  stop(app) {
    app.get(CallDesk).close();
    app.get(HostBeat).stop();
    return Promise.resolve();
  },
});
