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
    // A refused edit, or one tenant's trouble, is no reason to stop deciding for the others; it is still said.
    return Promise.resolve({ ready: problems.length === 0, problems: [...problems, ...state.noted()] });
  },
  stop: (app) => app.get<GovernanceState>(GOVERNANCE_STATE).stop(),
});
