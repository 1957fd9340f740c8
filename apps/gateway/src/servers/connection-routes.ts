import { z } from 'zod';
import { anyToken, governed, isPublic } from '../http/access.js';
import { NoQuery } from '../http/asks.js';
import type { Route } from '../http/route.js';

const server = '/api/uar/mcp/servers/:name';
/** Where authorization servers send browsers back to. */
export const callbackPath = '/oauth/callback';

const Begun = z.strictObject({
  authorization_url: z.url().describe('Where a browser goes to agree; good once, until expires_at.'),
  expires_at: z.iso.datetime(),
});
const Forgotten = z.strictObject({
  forgotten: z.literal(true),
  revoked: z.boolean().describe('The authorization server took the tokens back as well.'),
});

/** HTML: whoever comes back reads how it went. */
const Page = z.string();

/** What an authorization server adds besides is its own. */
export const CallbackQuery = z.object({
  state: z.string().min(1).max(512),
  code: z.string().max(8192).optional(),
  iss: z.string().max(2048).optional(),
  error: z.string().max(128).optional(),
});

const ofServer = { access: governed('manageServers'), scope: 'admin' } as const;
/** Everybody's own account is their own affair: what they may call is asked at the call. */
const ofCaller = { access: anyToken, scope: 'tools:call' } as const;

/** Accounts at upstreams that want OAuth (docs/upstream-auth.md). */
export const connectionRoutes = {
  connectServer: {
    ...{ method: 'post', paths: [`${server}/connect`], ...ofServer },
    isConnection: true,
    summary: 'Begins the authorization of the account of an MCP server',
    query: NoQuery,
    answers: { 200: Begun },
    errors: [404, 409, 502],
  },
  disconnectServer: {
    ...{ method: 'delete', paths: [`${server}/connection`], ...ofServer },
    summary: 'Forgets the tokens of the account of an MCP server',
    query: NoQuery,
    answers: { 200: Forgotten },
    errors: [404],
  },
  connectOwn: {
    ...{ method: 'post', paths: [`${server}/connect/own`], ...ofCaller },
    isConnection: true,
    summary: "Begins the authorization of the caller's own account at a server with placement per_principal",
    query: NoQuery,
    answers: { 200: Begun },
    errors: [404, 409, 502],
  },
  disconnectOwn: {
    ...{ method: 'delete', paths: [`${server}/connection/own`], ...ofCaller },
    summary: "Forgets the tokens of the caller's own account at a server",
    query: NoQuery,
    answers: { 200: Forgotten },
    errors: [404],
  },
  authorizationCallback: {
    ...{ method: 'get', paths: [callbackPath], access: isPublic, scope: 'none' },
    summary: 'Page that a browser comes back to from an authorization server',
    query: CallbackQuery,
    answers: { 200: Page, 400: Page, 403: Page, 410: Page, 429: Page, 502: Page, 503: Page },
    errors: [405],
    media: 'text/html',
  },
} satisfies Record<string, Route>;
