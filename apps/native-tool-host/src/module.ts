import { microservice, type ServiceDefinition } from '@uar/service';
import { SettingsReplica } from '@uar/settings';
import { HostBeat } from './adapters/host-beat.js';
import { SwitchedTools } from './adapters/switched-tools.js';
import { NativeToolHostModule } from './app.module.js';
import { CallDesk } from './domain/call-desk.js';

export const service: ServiceDefinition = microservice({
  name: 'native-tool-host',
  module: (context) => NativeToolHostModule.with(context),
  async started(app) {
    await app.get(SettingsReplica).start();
    app.get(HostBeat).start();
  },
  readiness(app) {
    const problems = app.get(SwitchedTools).problems();
    return Promise.resolve({ ready: problems.length === 0, problems });
  },
  stop(app) {
    app.get(CallDesk).close();
    app.get(HostBeat).stop();
    app.get(SettingsReplica).stop();
    return Promise.resolve();
  },
});
