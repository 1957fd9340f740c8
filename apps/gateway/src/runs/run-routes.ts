import { RunBody, RunPatch, RunView, Scope } from '@uar/contracts';
import { governed, type RouteAccess } from '../http/access.js';
import { NoQuery } from '../http/asks.js';
import type { Route } from '../http/route.js';

const runs = '/api/uar/runs';
const runPolicy = '/api/uar/settings/run-policy';
const ownOr: RouteAccess = { kind: 'own_or', action: 'readCalls' };

/** API.md 4, and the global scope of API.md 7. */
export const runRoutes = {
  createRun: {
    method: 'post',
    paths: [runs],
    access: governed('listTools'),
    scope: 'tools:call',
    summary: 'Opens a run of the caller with scopes of its own',
    query: NoQuery,
    body: RunBody,
    answers: { 201: RunView },
  },
  readRun: {
    method: 'get',
    paths: [`${runs}/:id`],
    access: ownOr,
    scope: 'tools:read',
    summary: 'A run and what it may use now',
    query: NoQuery,
    answers: { 200: RunView },
    errors: [404],
  },
  narrowRun: {
    method: 'patch',
    paths: [`${runs}/:id`],
    access: ownOr,
    scope: 'tools:call',
    summary: 'Takes more away from a run; absent members of a scope stay',
    query: NoQuery,
    body: RunPatch,
    answers: { 200: RunView },
    errors: [404, 409, 422],
  },
  cancelRun: {
    method: 'post',
    paths: [`${runs}/:id/cancel`],
    access: ownOr,
    scope: 'tools:call',
    summary: 'Ends a run with its pending approvals and calls in flight',
    query: NoQuery,
    answers: { 200: RunView },
    errors: [404],
  },
  readRunPolicy: {
    method: 'get',
    paths: [runPolicy],
    access: governed('manageSettings'),
    scope: 'admin',
    summary: 'The scope that all runs of the tenant stand in',
    query: NoQuery,
    answers: { 200: Scope },
  },
  putRunPolicy: {
    method: 'put',
    paths: [runPolicy],
    access: governed('manageSettings'),
    scope: 'admin',
    summary: 'Replaces the scope that all runs of the tenant stand in',
    query: NoQuery,
    body: Scope,
    answers: { 200: Scope },
    errors: [409],
  },
} satisfies Record<string, Route>;
