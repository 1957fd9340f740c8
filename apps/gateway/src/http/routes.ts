import {
  ApprovalStatus,
  ApprovalView,
  CallView,
  ExecuteBody,
  HealthView,
  IsoTime,
  Outcome,
  Receipt,
  ReceiptVerification,
  ServerConfig,
  ServerHealth,
  ServerView,
  ToolListView,
  ToolView,
} from '@uar/contracts';
import { z } from 'zod';
import type { RouteAccess } from './access.js';
import type { Route } from './route.js';

const isPublic: RouteAccess = { kind: 'public' };
const anyToken: RouteAccess = { kind: 'any_token' };
const governed = (action: Extract<RouteAccess, { kind: 'governed' }>['action']): RouteAccess => ({
  kind: 'governed',
  action,
});

/** A number in a query. */
const count = (from: number, to: number, usual: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.number().int().min(from).max(to))
    .default(usual);

export const ToolListQuery = z.strictObject({
  run_id: z.string().optional(),
  server: z.string().max(64).optional(),
  q: z.string().max(256).optional(),
  cursor: z.string().max(256).optional(),
  limit: count(1, 5_000, 1_000),
});

export const PutServerQuery = z.strictObject({ connect: z.enum(['true', 'false']).default('true') });

export const ApprovalListQuery = z.strictObject({
  status: ApprovalStatus.optional(),
  cursor: z.string().max(512).optional(),
  limit: count(1, 500, 100),
});

export const DecisionBody = z.strictObject({
  decision: z.enum(['approve', 'reject']),
  reason: z.string().max(1000).optional(),
});

export const ReceiptListQuery = z.strictObject({
  tool: z.string().max(256).optional(),
  outcome: Outcome.optional(),
  principal: z.string().max(1024).optional(),
  since: IsoTime.optional(),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional(),
  limit: count(1, 1_000, 100),
});

export const NoQuery = z.strictObject({});

const Deleted = z.strictObject({ deleted: z.literal(true) });
const Health = z.strictObject({ status: z.literal('ok') });
export const ReadinessView = z.strictObject({
  ready: z.boolean(),
  governance: z.enum(['on', 'off']),
  problems: z.array(z.string()),
});
const ProtectedResource = z.strictObject({
  resource: z.string(),
  authorization_servers: z.array(z.string()),
  bearer_methods_supported: z.array(z.literal('header')),
});
const ServerList = z.strictObject({ servers: z.array(ServerView) });
const ApprovalList = z.strictObject({
  approvals: z.array(ApprovalView),
  next_cursor: z.string().optional(),
});
const ReceiptList = z.strictObject({ receipts: z.array(Receipt), next_cursor: z.string().optional() });

const servers = '/api/uar/mcp/servers';
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
      'Idempotency-Key': 'the same key, principal, tool and arguments within 24 h give the first call',
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
  listServers: {
    method: 'get',
    paths: [servers],
    access: governed('readServers'),
    summary: 'The MCP servers of the tenant, by name',
    query: NoQuery,
    answers: { 200: ServerList },
  },
  readServer: {
    method: 'get',
    paths: [`${servers}/:name`],
    access: governed('readServers'),
    summary: 'One MCP server',
    query: NoQuery,
    answers: { 200: ServerView },
    errors: [404],
  },
  putServer: {
    method: 'put',
    paths: [`${servers}/:name`],
    access: governed('manageServers'),
    summary: 'Registers or replaces an MCP server',
    query: PutServerQuery,
    body: ServerConfig,
    answers: { 200: ServerView, 201: ServerView },
    errors: [409, 422],
  },
  patchServer: {
    method: 'patch',
    paths: [`${servers}/:name`],
    access: governed('manageServers'),
    summary: 'Changes members of an MCP server; null removes one',
    query: NoQuery,
    body: z.record(z.string(), z.unknown()),
    answers: { 200: ServerView },
    errors: [404, 422],
  },
  deleteServer: {
    method: 'delete',
    paths: [`${servers}/:name`],
    access: governed('manageServers'),
    summary: 'Removes an MCP server',
    query: NoQuery,
    answers: { 200: Deleted },
    errors: [404],
  },
  reconnectServer: {
    method: 'post',
    paths: [`${servers}/:name/reconnect`],
    access: governed('manageServers'),
    summary: 'Closes and opens the connection of an MCP server',
    query: NoQuery,
    answers: { 200: ServerHealth },
    errors: [404],
  },
  testServer: {
    method: 'post',
    paths: [`${servers}/:name/test`],
    access: governed('manageServers'),
    summary: 'Opens a connection beside the live one and closes it again',
    query: NoQuery,
    answers: { 200: ServerHealth },
    errors: [404],
  },
  readHealth: {
    method: 'get',
    paths: ['/api/uar/mcp/health'],
    access: governed('readServers'),
    summary: 'State of every configured MCP server now',
    query: NoQuery,
    answers: { 200: HealthView },
  },
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
    paths: [`${approvals}/:approval_id`],
    access: anyToken,
    summary: 'One approval the caller may decide, or its own',
    query: NoQuery,
    answers: { 200: ApprovalView },
    errors: [404],
  },
  decideApproval: {
    method: 'post',
    paths: [`${approvals}/:approval_id/decision`],
    access: anyToken,
    summary: 'Votes on an approval',
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
    summary: 'What a call needs is there',
    answers: { 200: ReadinessView, 503: ReadinessView },
  },
} satisfies Record<string, Route>;
