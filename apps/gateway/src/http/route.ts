import { RequestMapping, RequestMethod, UseInterceptors, applyDecorators } from '@nestjs/common';
import type { z } from 'zod';
import {
  AnyToken,
  Defers,
  Governs,
  NeedsScope,
  OfPages,
  OwnOr,
  Public,
  type RouteAccess,
  type RouteScope,
} from './access.js';
import { ConnectionInterceptor } from './connection.interceptor.js';
import { LaneInterceptor } from './lane.interceptor.js';

/** One route as data: what Nest serves, what the guard asks and what `/openapi.json` says are the same value. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With `:name` for path parameters; several paths for one handler. */
  readonly paths: readonly string[];
  readonly access: RouteAccess;
  readonly scope: RouteScope;
  /** Tried out by the decider, one after another: a tenant's requests wait in its lane, more than may wait are 429. */
  readonly hasLane?: boolean;
  /** Begins the connection of an account: more than `ConnectionLimits` lets through are 429. */
  readonly isConnection?: boolean;
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: z.ZodType;
  /** Media type of the body when it is not JSON. */
  readonly bodyMedia?: string;
  /** Answers that are no error body, by status; null: without a body. */
  readonly answers: Readonly<Record<number, z.ZodType | null>>;
  /** Statuses with an error body besides 400, 401, 403, 404, 503 where they may be. */
  readonly errors?: readonly number[];
  /** Media type of the answers when it is not JSON. */
  readonly media?: string;
}

const methods = {
  get: RequestMethod.GET,
  post: RequestMethod.POST,
  put: RequestMethod.PUT,
  patch: RequestMethod.PATCH,
  delete: RequestMethod.DELETE,
} as const;

/** The method that serves a route. */
export function Serves(route: Route): MethodDecorator {
  return applyDecorators(
    RequestMapping({ path: [...route.paths], method: methods[route.method] }),
    accessDecorator(route.access),
    NeedsScope(route.scope),
    ...(route.hasLane === true ? [UseInterceptors(LaneInterceptor)] : []),
    ...(route.isConnection === true ? [UseInterceptors(ConnectionInterceptor)] : []),
  );
}

function accessDecorator(access: RouteAccess): MethodDecorator {
  switch (access.kind) {
    case 'public':
      return Public();
    case 'any_token':
      return AnyToken();
    case 'of_pages':
      return OfPages();
    case 'governed':
      return Governs(access.action);
    case 'deferred':
      return Defers(access.action);
    case 'own_or':
      return OwnOr(access.action);
  }
}
