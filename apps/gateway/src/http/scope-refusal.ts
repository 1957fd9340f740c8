import type { Principal } from '@uar/contracts';
import type { Identity } from '../domain/access/identity.js';
import { tokenScopes, type TokenScope } from '../domain/access/token-scopes.js';
import type { Edge } from './edge/edge.js';
import { insufficientScope, type Refusal } from './refusal.js';

interface ScopeParts {
  readonly identity: Pick<Identity, 'lacks'>;
  readonly edge: Pick<Edge, 'metadataUrlOf' | 'onUnauthorized'>;
}

interface ScopeQuestion {
  readonly principal: Principal;
  readonly url: string;
  readonly needed: readonly TokenScope[];
}

/** Injection token of `scopeRefusal` with its parts: for what only a body says, and no route. */
export const SCOPE_CHECK = Symbol('uar.gateway.scope-check');
export type ScopeCheck = (question: ScopeQuestion) => Refusal | undefined;

/** Why a request is not taken that needs these scopes, and counted; undefined where its token has them or is not held to any. */
export function scopeRefusal(
  { identity, edge }: ScopeParts,
  { principal, url, needed }: ScopeQuestion,
): Refusal | undefined {
  const lacked = identity.lacks(principal, needed);
  if (lacked.length === 0) return undefined;
  edge.onUnauthorized('insufficient_scope');
  const held = tokenScopes.filter((scope) => principal.scopes.includes(scope));
  return insufficientScope({ lacked, needed, held }, edge.metadataUrlOf(url));
}
