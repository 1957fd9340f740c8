import { ChangeDecided, ChangeList } from '@uar/contracts';
import { governed } from '../http/access.js';
import { NoQuery } from '../http/asks.js';
import type { Route } from '../http/route.js';

const changes = '/api/uar/mcp/servers/:name/changes';

/** Definitions that wait for a reviewer (API.md 3). */
export const changeRoutes = {
  listChanges: {
    method: 'get',
    paths: [changes],
    access: governed('reviewTools'),
    scope: 'admin',
    summary: 'Changed definitions of an MCP server that nobody has reviewed',
    query: NoQuery,
    answers: { 200: ChangeList },
    errors: [404],
  },
  acceptChange: {
    method: 'post',
    paths: [`${changes}/:id/accept`],
    access: governed('reviewTools'),
    scope: 'admin',
    summary: 'Takes the new definition as reviewed',
    query: NoQuery,
    answers: { 200: ChangeDecided },
    errors: [404, 409],
  },
  rejectChange: {
    method: 'post',
    paths: [`${changes}/:id/reject`],
    access: governed('reviewTools'),
    scope: 'admin',
    summary: 'Keeps the new definition in quarantine and asks no more about it',
    query: NoQuery,
    answers: { 200: ChangeDecided },
    errors: [404, 409],
  },
} satisfies Record<string, Route>;
