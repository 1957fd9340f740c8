import { CallView, ExecuteBody } from '@uar/contracts';
import { anyToken } from '../http/access.js';
import { NoQuery } from '../http/asks.js';
import type { Route } from '../http/route.js';

/** API.md 2. */
export const callRoutes = {
  executeTool: {
    method: 'post',
    paths: ['/api/tools/:name/execute'],
    access: anyToken,
    scope: 'tools:call',
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
    scope: 'tools:read',
    summary: 'A call: 202 while it is pending, else 200 whatever its outcome',
    query: NoQuery,
    answers: { 200: CallView, 202: CallView },
    errors: [404],
  },
  cancelCall: {
    method: 'post',
    paths: ['/api/uar/calls/:call_id/cancel'],
    access: anyToken,
    scope: 'tools:call',
    summary: 'Cancels an own call',
    query: NoQuery,
    answers: { 200: CallView, 202: CallView },
    errors: [404],
  },
} satisfies Record<string, Route>;
