import { z } from 'zod';
import { ofPages, isPublic } from '../http/access.js';
import { NoQuery } from '../http/asks.js';
import { pagesPath } from '../http/page-session.js';
import type { Route } from '../http/route.js';

const media = 'text/html';
const Html = z.string();
const form = 'application/x-www-form-urlencoded';

export const VoteForm = z.strictObject({
  decision: z.enum(['approve', 'reject']),
  reason: z.string().max(1000).default(''),
});

export const SignInForm = z.strictObject({ token: z.string(), next: z.string().max(64).default('') });

export const PageListQuery = z.strictObject({ cursor: z.string().max(512).optional() });

/** Pages for people who decide (DESIGN.md 9). Reading and deciding ask what API.md 5 asks. */
export const pageRoutes = {
  showApprovals: {
    method: 'get',
    paths: [pagesPath],
    access: ofPages,
    scope: 'approvals:decide',
    summary: 'Page of the approvals that wait for the visitor, and of its own',
    query: PageListQuery,
    answers: { 200: Html },
    media,
  },
  showApproval: {
    method: 'get',
    paths: [`${pagesPath}/:id`],
    access: ofPages,
    scope: 'approvals:decide',
    summary: 'Page of one approval; without a token a form to sign in',
    query: NoQuery,
    answers: { 200: Html },
    errors: [404],
    media,
  },
  voteOnPage: {
    method: 'post',
    paths: [`${pagesPath}/:id`],
    access: ofPages,
    scope: 'approvals:decide',
    summary: 'Votes by form, then leads back to the page',
    query: NoQuery,
    body: VoteForm,
    bodyMedia: form,
    answers: { 303: Html },
    errors: [404, 409, 415],
    media,
  },
  signIn: {
    method: 'post',
    paths: [`${pagesPath}/sign-in`],
    access: isPublic,
    scope: 'none',
    summary: 'Keeps a token in a cookie of these pages',
    query: NoQuery,
    body: SignInForm,
    bodyMedia: form,
    answers: { 303: Html },
    errors: [401, 403, 415],
    media,
  },
  signOut: {
    method: 'post',
    paths: [`${pagesPath}/sign-out`],
    access: isPublic,
    scope: 'none',
    summary: 'Clears that cookie',
    query: NoQuery,
    answers: { 303: Html },
    errors: [403],
    media,
  },
} satisfies Record<string, Route>;
