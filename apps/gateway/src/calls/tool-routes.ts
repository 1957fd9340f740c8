import { ToolListView, ToolView } from '@uar/contracts';
import { anyToken, governed } from '../http/access.js';
import { NoQuery, ToolListQuery } from '../http/asks.js';
import type { Route } from '../http/route.js';

/** What may be called (API.md 2). */
export const toolRoutes = {
  listTools: {
    method: 'get',
    paths: ['/api/tools', '/api/uar/discovery/tools'],
    access: governed('listTools'),
    scope: 'tools:read',
    summary: 'The tools the caller may discover now',
    query: ToolListQuery,
    answers: { 200: ToolListView },
  },
  readTool: {
    method: 'get',
    paths: ['/api/tools/:name'],
    access: anyToken,
    scope: 'tools:read',
    summary: 'One tool the caller may discover',
    query: NoQuery,
    answers: { 200: ToolView },
    errors: [404],
  },
} satisfies Record<string, Route>;
