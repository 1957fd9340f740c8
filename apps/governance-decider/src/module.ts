import './adapters/v8-flag.js';
import { microservice } from '@uar/service';
import { AppModule } from './app.module.js';
import type { GovernanceState } from './domain/governance-state.js';
import { GOVERNANCE_STATE } from './tokens.js';

export const service = microservice({
  name: 'governance-decider',
  module: (context) => AppModule.with(context),
  readiness: (app) => {
    const state = app.get<GovernanceState>(GOVERNANCE_STATE);
    const problems = state.problems();
    // A refused edit is no reason to stop deciding with the set in force; it is still said.
    return Promise.resolve({ ready: problems.length === 0, problems: [...problems, ...state.refused()] });
  },
  stop: (app) => app.get<GovernanceState>(GOVERNANCE_STATE).stop(),
});
