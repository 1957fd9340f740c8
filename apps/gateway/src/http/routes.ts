import {
  ApprovalView,
  CallView,
  ExecuteBody,
  Receipt,
  ReceiptVerification,
  ToolListView,
  ToolView,
} from '@uar/contracts';
import { z } from 'zod';
import { ReadinessCode } from '../domain/readiness.js';
import type { RouteAccess } from './access.js';
import { ApprovalListQuery, DecisionBody, NoQuery, ReceiptListQuery, ToolListQuery } from './asks.js';
import { governed } from './access.js';
import { agentRoutes } from './agent-routes.js';
import { changeRoutes } from './change-routes.js';
import { governanceRoutes } from './governance-routes.js';
import { policyRoutes } from './policy-routes.js';
import type { Route } from './route.js';
import { runRoutes } from './run-routes.js';
import { serverRoutes } from './server-routes.js';
import { settingsRoutes } from './settings-routes.js';

const isPublic: RouteAccess = { kind: 'public' };
const anyToken: RouteAccess = { kind: 'any_token' };

const Health = z.strictObject({ status: z.literal('ok') });
const Readiness = z.strictObject({
  ready: z.boolean(),
  governance: z.enum(['on', 'off']),
  problems: z.array(ReadinessCode),
});
const ProtectedResource = z.strictObject({
  resource: z.string(),
  authorization_servers: z.array(z.string()),
  bearer_methods_supported: z.array(z.literal('header')),
});
const ApprovalList = z.strictObject({
  approvals: z.array(ApprovalView),
  next_cursor: z.string().optional(),
});
const ReceiptList = z.strictObject({ receipts: z.array(Receipt), next_cursor: z.string().optional() });

const approvals = '/api/uar/approvals';
const receipts = '/api/uar/receipts';
const metadata = '/.well-known/oauth-protected-resource';

/** The HTTP API (API.md 2, 3, 5, 7) as data. */
export const routes = {
  listTools: {
    method: 'get',
    paths: ['/api/tools', '/api/uar/discovery/tools'],
    access: governed('listTools'),
    summary: 'The tools the caller may discover now',
    query: ToolListQuery,
    answers: { 200: ToolListView },
  },
  readTool: {
    method: 'get',
    paths: ['/api/tools/:name'],
    access: anyToken,
    summary: 'One tool the caller may discover',
    query: NoQuery,
    answers: { 200: ToolView },
    errors: [404],
  },
  executeTool: {
    method: 'post',
    paths: ['/api/tools/:name/execute'],
    access: anyToken,
    summary: 'Proposes a call and waits for its end',
    query: NoQuery,
    headers: {
      Prefer: '`respond-async`: 202 as soon as the call is accepted',
      'Idempotency-Key':
        'the same key, principal, tool and arguments within 24 h give the first call; one that was rate_limited, overloaded or unavailable ran nothing, and is tried anew',
    },
    body: ExecuteBody,
    answers: Object.fromEntries(
      [200, 202, 400, 403, 404, 409, 429, 500, 502, 503, 504].map((status) => [status, CallView]),
    ),
    errors: [401, 413, 415, 422],
  },
  readCall: {
    method: 'get',
    paths: ['/api/uar/calls/:call_id'],
    access: { kind: 'own_or', action: 'readCalls' },
    summary: 'A call: 202 while it is pending, else 200 whatever its outcome',
    query: NoQuery,
    answers: { 200: CallView, 202: CallView },
    errors: [404],
  },
  cancelCall: {
    method: 'post',
    paths: ['/api/uar/calls/:call_id/cancel'],
    access: anyToken,
    summary: 'Cancels an own call',
    query: NoQuery,
    answers: { 200: CallView, 202: CallView },
    errors: [404],
  },
  ...serverRoutes,
  ...changeRoutes,
  ...governanceRoutes,
  ...policyRoutes,
  ...agentRoutes,
  ...runRoutes,
  ...settingsRoutes,
  listApprovals: {
    method: 'get',
    paths: [approvals],
    access: anyToken,
    summary: 'Approvals the caller may decide, and its own',
    query: ApprovalListQuery,
    answers: { 200: ApprovalList },
  },
  readApproval: {
    method: 'get',
    paths: [`${approvals}/:id`],
    access: anyToken,
    summary: 'One approval the caller may decide, or its own',
    query: NoQuery,
    answers: { 200: ApprovalView },
    errors: [404],
  },
  decideApproval: {
    method: 'post',
    paths: [`${approvals}/:id/decision`],
    access: anyToken,
    summary: 'Votes on an approval; nothing is approved while the kill switch is on',
    query: NoQuery,
    body: DecisionBody,
    answers: { 200: ApprovalView },
    errors: [404, 409],
  },
  listReceipts: {
    method: 'get',
    paths: [receipts],
    access: governed('readReceipts'),
    summary: 'Receipts of the tenant, in order',
    query: ReceiptListQuery,
    answers: { 200: ReceiptList },
  },
  exportReceipts: {
    method: 'get',
    paths: [`${receipts}/export`],
    access: governed('readReceipts'),
    summary: 'All receipts of the tenant, one per line',
    query: NoQuery,
    answers: { 200: Receipt },
    media: 'application/x-ndjson',
  },
  verifyReceipts: {
    method: 'get',
    paths: [`${receipts}/verify`],
    access: governed('readReceipts'),
    summary: 'Checks the chain of the tenant',
    query: NoQuery,
    answers: { 200: ReceiptVerification },
  },
  readReceipt: {
    method: 'get',
    paths: [`${receipts}/:seq`],
    access: governed('readReceipts'),
    summary: 'One receipt',
    query: NoQuery,
    answers: { 200: Receipt },
    errors: [404],
  },
  openApi: {
    method: 'get',
    paths: ['/openapi.json'],
    access: anyToken,
    summary: 'This document',
    query: NoQuery,
    answers: { 200: z.record(z.string(), z.unknown()) },
  },
  protectedResource: {
    method: 'get',
    paths: [metadata, `${metadata}/mcp`, `${metadata}/mcp/:endpoint`, `${metadata}/mcp/servers/:server`],
    access: isPublic,
    summary: 'Protected resource metadata (RFC 9728); 404 in secret mode',
    answers: { 200: ProtectedResource },
    errors: [404],
  },
  healthz: {
    method: 'get',
    paths: ['/healthz'],
    access: isPublic,
    summary: 'The process answers',
    answers: { 200: Health },
  },
  readyz: {
    method: 'get',
    paths: ['/readyz'],
    access: isPublic,
    summary: 'What a call needs is there; what is wrong by code, in detail on the management port',
    answers: { 200: Readiness, 503: Readiness },
  },
} satisfies Record<string, Route>;
