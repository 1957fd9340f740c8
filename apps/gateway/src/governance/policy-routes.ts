import {
  DeletePoliciesBody,
  DryRunView,
  PoliciesView,
  PolicyProposalView,
  PolicySchemaView,
  PolicyVersionView,
  ProposeBody,
  PutPoliciesBody,
  ValidateBody,
  ValidationView,
} from '@uar/contracts';
import { z } from 'zod';
import { governed, type RouteAccess } from '../http/access.js';
import { NoQuery } from '../http/asks.js';
import type { Route } from '../http/route.js';

const governance = '/api/uar/governance';
const policies = `${governance}/policies`;
const proposals = `${governance}/proposals`;

/** Asked last, by the decider, which knows the authors of what is to be put in force. */
const managesPolicies: RouteAccess = { kind: 'deferred', action: 'managePolicies' };

const Written = z.union([PoliciesView, DryRunView]);
const Withdrawn = z.strictObject({ withdrawn: z.literal(true) });

/** API.md 6: what administers policies. */
export const policyRoutes = {
  readPolicies: {
    method: 'get',
    paths: [policies],
    access: governed('readPolicies'),
    scope: 'admin',
    summary: 'The set in force: the policies of the platform and those of the tenant',
    query: NoQuery,
    answers: { 200: PoliciesView },
    errors: [422],
  },
  putPolicies: {
    method: 'put',
    paths: [policies],
    access: managesPolicies,
    scope: 'admin',
    hasLane: true,
    summary: "Replaces the tenant's policies with texts, a proposal, or those of an earlier version",
    query: NoQuery,
    body: PutPoliciesBody,
    answers: { 200: Written },
    errors: [404, 409, 413, 422],
  },
  deletePolicies: {
    method: 'delete',
    paths: [policies],
    access: managesPolicies,
    scope: 'admin',
    hasLane: true,
    summary: 'Gives authority back to the policies in the folder',
    query: NoQuery,
    body: DeletePoliciesBody,
    answers: { 200: Written },
    errors: [404, 409, 422],
  },
  listPolicyVersions: {
    method: 'get',
    paths: [`${policies}/versions`],
    access: governed('readPolicies'),
    scope: 'admin',
    summary: 'The sets that were in force, newest first',
    query: NoQuery,
    answers: { 200: z.strictObject({ versions: z.array(PolicyVersionView) }) },
    errors: [422],
  },
  validatePolicies: {
    method: 'post',
    paths: [`${governance}/validate`],
    access: governed('readPolicies'),
    scope: 'admin',
    hasLane: true,
    summary: "Would these be taken as the tenant's policies? Changes nothing",
    query: NoQuery,
    body: ValidateBody,
    answers: { 200: ValidationView },
    errors: [413, 422],
  },
  proposePolicies: {
    method: 'post',
    paths: [proposals],
    access: governed('proposePolicies'),
    scope: 'admin',
    hasLane: true,
    summary: 'Leaves policies for somebody else to put in force',
    query: NoQuery,
    body: ProposeBody,
    answers: { 201: PolicyProposalView },
    errors: [409, 413, 422],
  },
  listProposals: {
    method: 'get',
    paths: [proposals],
    access: governed('readPolicies'),
    scope: 'admin',
    summary: 'The proposals that wait, newest first',
    query: NoQuery,
    answers: { 200: z.strictObject({ proposals: z.array(PolicyProposalView) }) },
    errors: [422],
  },
  readProposal: {
    method: 'get',
    paths: [`${proposals}/:id`],
    access: governed('readPolicies'),
    scope: 'admin',
    summary: 'A proposal with its policies',
    query: NoQuery,
    answers: { 200: PolicyProposalView.extend({ policies: z.record(z.string(), z.string()) }) },
    errors: [404, 422],
  },
  withdrawProposal: {
    method: 'delete',
    paths: [`${proposals}/:id`],
    access: { kind: 'own_or', action: 'managePolicies' },
    scope: 'admin',
    summary: 'Takes back a proposal',
    query: NoQuery,
    answers: { 200: Withdrawn },
    errors: [404, 422],
  },
  readPolicySchema: {
    method: 'get',
    paths: [`${governance}/schema`],
    access: governed('readPolicies'),
    scope: 'admin',
    summary: 'The Cedar schema, and what the live catalog adds to it',
    query: NoQuery,
    answers: { 200: PolicySchemaView },
    errors: [422],
  },
} satisfies Record<string, Route>;
