import { ExplainBody, ExplanationView, SimulateBody, SimulationView } from '@uar/contracts';
import { governed } from './access.js';
import { NoQuery } from './asks.js';
import type { Route } from './route.js';

const governance = '/api/uar/governance';

/** API.md 6. */
export const governanceRoutes = {
  explainCall: {
    method: 'post',
    paths: [`${governance}/explain`],
    access: governed('explain'),
    summary: 'How a call would be decided, stage by stage, and why; nothing is called or recorded',
    query: NoQuery,
    body: ExplainBody,
    answers: { 200: ExplanationView },
    errors: [413],
  },
  simulateCalls: {
    method: 'post',
    paths: [`${governance}/simulate`],
    access: governed('explain'),
    summary: 'What policies would say of principals and tools, beside those in force',
    query: NoQuery,
    body: SimulateBody,
    answers: { 200: SimulationView },
    errors: [413, 422],
  },
} satisfies Record<string, Route>;
