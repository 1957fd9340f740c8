import { HealthView, ServerConfig, ServerHealth, ServerView } from '@uar/contracts';
import { z } from 'zod';
import { governed } from '../http/access.js';
import { NoQuery, PutServerQuery } from '../http/asks.js';
import type { Route } from '../http/route.js';

const servers = '/api/uar/mcp/servers';

const Deleted = z.strictObject({ deleted: z.literal(true) });
const ServerList = z.strictObject({ servers: z.array(ServerView) });

/** API.md 3. */
export const serverRoutes = {
  listServers: {
    method: 'get',
    paths: [servers],
    access: governed('readServers'),
    scope: 'admin',
    summary: 'The MCP servers of the tenant, by name',
    query: NoQuery,
    answers: { 200: ServerList },
  },
  readServer: {
    method: 'get',
    paths: [`${servers}/:name`],
    access: governed('readServers'),
    scope: 'admin',
    summary: 'One MCP server',
    query: NoQuery,
    answers: { 200: ServerView },
    errors: [404],
  },
  putServer: {
    method: 'put',
    paths: [`${servers}/:name`],
    access: governed('manageServers'),
    scope: 'admin',
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
    scope: 'admin',
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
    scope: 'admin',
    summary: 'Removes an MCP server',
    query: NoQuery,
    answers: { 200: Deleted },
    errors: [404],
  },
  reconnectServer: {
    method: 'post',
    paths: [`${servers}/:name/reconnect`],
    access: governed('manageServers'),
    scope: 'admin',
    summary: 'Closes and opens the connection of an MCP server',
    query: NoQuery,
    answers: { 200: ServerHealth },
    errors: [404],
  },
  testServer: {
    method: 'post',
    paths: [`${servers}/:name/test`],
    access: governed('manageServers'),
    scope: 'admin',
    summary: 'Opens a connection beside the live one and closes it again',
    query: NoQuery,
    answers: { 200: ServerHealth },
    errors: [404],
  },
  readHealth: {
    method: 'get',
    paths: ['/api/uar/mcp/health'],
    access: governed('readServers'),
    scope: 'admin',
    summary: 'State of every configured MCP server now',
    query: NoQuery,
    answers: { 200: HealthView },
  },
} satisfies Record<string, Route>;
