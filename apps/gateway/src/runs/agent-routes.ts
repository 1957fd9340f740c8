import { AgentBody, AgentView, ScopeWarning } from '@uar/contracts';
import { z } from 'zod';
import { governed } from '../http/access.js';
import { NoQuery } from '../http/asks.js';
import type { Route } from '../http/route.js';

const agents = '/api/uar/agents';

const AgentList = z.strictObject({ agents: z.array(AgentView) });
const AgentWritten = AgentView.extend({ warnings: z.array(ScopeWarning) });
const Deleted = z.strictObject({ deleted: z.literal(true) });

/** API.md 4. */
export const agentRoutes = {
  listAgents: {
    method: 'get',
    paths: [agents],
    access: governed('readCalls'),
    scope: 'admin',
    summary: 'The registered agents of the tenant, by id',
    query: NoQuery,
    answers: { 200: AgentList },
  },
  readAgent: {
    method: 'get',
    paths: [`${agents}/:id`],
    access: governed('readCalls'),
    scope: 'admin',
    summary: 'One registered agent',
    query: NoQuery,
    answers: { 200: AgentView },
    errors: [404],
  },
  putAgent: {
    method: 'put',
    paths: [`${agents}/:id`],
    access: governed('manageAgents'),
    scope: 'admin',
    summary: 'Registers or replaces an agent',
    query: NoQuery,
    body: AgentBody,
    answers: { 200: AgentWritten, 201: AgentWritten },
    errors: [409],
  },
  deleteAgent: {
    method: 'delete',
    paths: [`${agents}/:id`],
    access: governed('manageAgents'),
    scope: 'admin',
    summary: 'Removes an agent; its calls stop at once',
    query: NoQuery,
    answers: { 200: Deleted },
    errors: [404, 409],
  },
} satisfies Record<string, Route>;
