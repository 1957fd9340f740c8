import { SetMetadata } from '@nestjs/common';
import type { AdminAction } from '@uar/contracts';
import type { TokenScope } from '../domain/access/token-scopes.js';

/** Who may use a route. Every route carries one; a route without is refused to everybody. */
export type RouteAccess =
  | { readonly kind: 'public' }
  | { readonly kind: 'any_token' }
  /** Any token, or the session of the approval pages; whoever has neither is shown how to sign in. */
  | { readonly kind: 'of_pages' }
  /** A Cedar question on the caller's own tenant. */
  | { readonly kind: 'governed'; readonly action: AdminAction | 'listTools' }
  /** The same question, asked last and by whoever answers the request: it depends on what the request says. */
  | { readonly kind: 'deferred'; readonly action: AdminAction }
  /** The owner of the thing, or whom Cedar allows the action: asked by the handler, which knows the owner. */
  | { readonly kind: 'own_or'; readonly action: AdminAction };

export const ROUTE_ACCESS = 'uar:route-access';

/** Which scope a token with scopes needs for a route; `none` where any token, or nobody's, does. */
export type RouteScope = TokenScope | 'none';

export const ROUTE_SCOPE = 'uar:route-scope';

export const NeedsScope = (scope: RouteScope) => SetMetadata<string, RouteScope>(ROUTE_SCOPE, scope);

export const Public = () => SetMetadata<string, RouteAccess>(ROUTE_ACCESS, { kind: 'public' });
export const AnyToken = () => SetMetadata<string, RouteAccess>(ROUTE_ACCESS, { kind: 'any_token' });
export const OfPages = () => SetMetadata<string, RouteAccess>(ROUTE_ACCESS, { kind: 'of_pages' });
export const Governs = (action: AdminAction | 'listTools') =>
  SetMetadata<string, RouteAccess>(ROUTE_ACCESS, { kind: 'governed', action });
export const Defers = (action: AdminAction) =>
  SetMetadata<string, RouteAccess>(ROUTE_ACCESS, { kind: 'deferred', action });
export const OwnOr = (action: AdminAction) =>
  SetMetadata<string, RouteAccess>(ROUTE_ACCESS, { kind: 'own_or', action });

export function governed(action: AdminAction | 'listTools'): RouteAccess {
  return { kind: 'governed', action };
}

export const isPublic: RouteAccess = { kind: 'public' };
export const anyToken: RouteAccess = { kind: 'any_token' };
export const ofPages: RouteAccess = { kind: 'of_pages' };
