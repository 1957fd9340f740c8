import {
  ExplainBody,
  ExplanationView,
  ReplayBody,
  ReplayView,
  ShadowBody,
  ShadowView,
  SimulateBody,
  SimulationView,
} from '@uar/contracts';
import { z } from 'zod';
import { governed } from '../http/access.js';
import { NoQuery } from '../http/asks.js';
import type { Route } from '../http/route.js';

const governance = '/api/uar/governance';
const shadow = `${governance}/shadow`;

/** API.md 6. */
export const trialRoutes = {
  explainCall: {
    method: 'post',
    paths: [`${governance}/explain`],
    access: governed('explain'),
    scope: 'admin',
    hasLane: true,
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
    scope: 'admin',
    hasLane: true,
    summary: 'What policies would say of principals and tools, beside those in force',
    query: NoQuery,
    body: SimulateBody,
    answers: { 200: SimulationView },
    errors: [413, 422],
  },
  replayDecisions: {
    method: 'post',
    paths: [`${governance}/replay`],
    access: governed('explain'),
    scope: 'admin',
    hasLane: true,
    summary: "Which of the tenant's recorded decisions these policies would make differently, newest first",
    query: NoQuery,
    body: ReplayBody,
    answers: { 200: ReplayView },
    errors: [413, 422],
  },
  readShadow: {
    method: 'get',
    paths: [shadow],
    access: governed('readPolicies'),
    scope: 'admin',
    summary: 'What the policies in the shadow would have decided otherwise',
    query: NoQuery,
    answers: { 200: ShadowView },
    errors: [404, 422],
  },
  putShadow: {
    method: 'put',
    paths: [shadow],
    access: governed('managePolicies'),
    scope: 'admin',
    hasLane: true,
    summary: 'Evaluates these policies beside those in force, for every live call; they decide nothing',
    query: NoQuery,
    body: ShadowBody,
    answers: { 200: ShadowView },
    errors: [409, 413, 422],
  },
  deleteShadow: {
    method: 'delete',
    paths: [shadow],
    access: governed('managePolicies'),
    scope: 'admin',
    summary: 'Ends the shadow',
    query: NoQuery,
    answers: { 200: z.strictObject({ deleted: z.literal(true) }) },
    errors: [404, 409, 422],
  },
} satisfies Record<string, Route>;
