import { z } from 'zod';
import { tokenScopes } from '../domain/access/token-scopes.js';
import { ReadinessCode } from '../domain/readiness.js';
import { anyToken, isPublic } from '../http/access.js';
import { NoQuery } from '../http/asks.js';
import type { Route } from '../http/route.js';

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
  scopes_supported: z.array(z.enum(tokenScopes)),
});

const metadata = '/.well-known/oauth-protected-resource';

/** What the gateway says of itself (API.md 7). */
export const operationRoutes = {
  openApi: {
    method: 'get',
    paths: ['/openapi.json'],
    access: anyToken,
    scope: 'none',
    summary: 'This document',
    query: NoQuery,
    answers: { 200: z.record(z.string(), z.unknown()) },
  },
  protectedResource: {
    method: 'get',
    paths: [
      metadata,
      ...['/mcp', '/mcp/uar', '/mcp/memory', '/mcp/servers/:server'].map((path) => `${metadata}${path}`),
    ],
    access: isPublic,
    scope: 'none',
    summary: 'Protected resource metadata (RFC 9728); 404 in secret mode',
    answers: { 200: ProtectedResource },
    errors: [404],
  },
  healthz: {
    method: 'get',
    paths: ['/healthz'],
    access: isPublic,
    scope: 'none',
    summary: 'The process answers',
    answers: { 200: Health },
  },
  readyz: {
    method: 'get',
    paths: ['/readyz'],
    access: isPublic,
    scope: 'none',
    summary: 'What a call needs is there; what is wrong by code, in detail on the management port',
    answers: { 200: Readiness, 503: Readiness },
  },
} satisfies Record<string, Route>;
