import type { Caller, Channel, Principal } from '@uar/contracts';
import type { TokenScope } from './token-scopes.js';

/** What the edge knows of a request before it knows who asks. */
export interface Approach {
  /** Value of the only Authorization header. */
  readonly authorization: string | undefined;
  /** Resource URL of the endpoint that was asked (RFC 8707): accepted as audience besides the configured one. */
  readonly audience?: string;
}

export type Identified =
  | { readonly kind: 'verified'; readonly principal: Principal }
  /** No token, and nobody may come without one. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalid'; readonly cause: string };

/** Stage 1: from a bearer token to a principal. Synchronous where the token was verified a moment ago. */
export interface Identity {
  identify(approach: Approach): Identified | Promise<Identified>;
  /** Whom a request of our own is made for; undefined: it comes from outside. */
  known(authorization: string | undefined): Caller | undefined;
  /** The caller of a request; `channel` is `interactive` for people at the HTTP API, else `api` (GOVERNANCE.md 3). */
  caller(principal: Principal, edge: 'http' | 'mcp', ip: string | undefined): Caller;
  /** What of `needed` the token lacks; nothing where scopes are not checked (API.md 8). */
  lacks(principal: Principal, needed: readonly TokenScope[]): readonly TokenScope[];
}

export function channelOf(principal: Principal, edge: 'http' | 'mcp'): Channel {
  const person = principal.kind === 'user' && principal.agent_id === undefined;
  return edge === 'http' && person ? 'interactive' : 'api';
}

/** Injection token of the Identity. */
export const IDENTITY = Symbol('uar.gateway.identity');
