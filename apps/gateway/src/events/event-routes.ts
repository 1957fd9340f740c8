import { RunEventView, TenantEventView } from '@uar/contracts';
import { z } from 'zod';
import type { RouteAccess } from '../http/access.js';
import type { Route } from '../http/route.js';

const ownOr: RouteAccess = { kind: 'own_or', action: 'readCalls' };

/** WebSocket and EventSource clients cannot set headers. */
export const EventQuery = z.strictObject({
  last_event_id: z.string().max(64).optional(),
  /** `agui`: as events of the AG-UI protocol. */
  profile: z.enum(['agui']).optional(),
});

const shared = {
  method: 'get',
  access: ownOr,
  scope: 'tools:read',
  query: EventQuery,
  headers: { 'Last-Event-ID': 'The id of the last event the client has: the stream goes on after it' },
  media: 'text/event-stream',
} as const;

/** API.md 4. */
export const eventRoutes = {
  runEvents: {
    ...shared,
    paths: ['/api/uar/runs/:id/events'],
    answers: { 200: RunEventView, 204: null },
    summary:
      'The events of a run as they come, after those that are kept; 204 where the client has all of an ended run',
    errors: [404, 429],
  },
  events: {
    ...shared,
    paths: ['/api/uar/events'],
    answers: { 200: TenantEventView },
    summary:
      "The events of the caller's runs, of all runs for holders of readCalls, without arguments and results; a WebSocket upgrade gives the same as JSON texts, with the text `id`, as Last-Event-ID names it, in place of `seq`",
    errors: [429],
  },
} satisfies Record<string, Route>;
