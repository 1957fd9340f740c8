import { ApprovalView } from '@uar/contracts';
import { z } from 'zod';
import { anyToken } from '../http/access.js';
import { ApprovalListQuery, DecisionBody, NoQuery, RunDecisionBody } from '../http/asks.js';
import type { Route } from '../http/route.js';

const ApprovalList = z.strictObject({
  approvals: z.array(ApprovalView),
  next_cursor: z.string().optional(),
});

const approvals = '/api/uar/approvals';

/** API.md 5. */
export const approvalRoutes = {
  listApprovals: {
    method: 'get',
    paths: [approvals],
    access: anyToken,
    scope: 'approvals:decide',
    summary: 'Approvals the caller may decide, and its own',
    query: ApprovalListQuery,
    answers: { 200: ApprovalList },
  },
  readApproval: {
    method: 'get',
    paths: [`${approvals}/:id`],
    access: anyToken,
    scope: 'approvals:decide',
    summary: 'One approval the caller may decide, or its own',
    query: NoQuery,
    answers: { 200: ApprovalView },
    errors: [404],
  },
  decideApproval: {
    method: 'post',
    paths: [`${approvals}/:id/decision`],
    access: anyToken,
    scope: 'approvals:decide',
    summary: 'Votes on an approval; nothing is approved while the kill switch is on',
    query: NoQuery,
    body: DecisionBody,
    answers: { 200: ApprovalView },
    errors: [404, 409],
  },
  decideRunApproval: {
    method: 'post',
    paths: ['/api/uar/runs/:id/approval'],
    access: anyToken,
    scope: 'approvals:decide',
    summary: 'Votes on the one approval that a run waits for, or on the one that is named',
    query: NoQuery,
    body: RunDecisionBody,
    answers: { 200: ApprovalView },
    errors: [404, 409],
  },
} satisfies Record<string, Route>;
