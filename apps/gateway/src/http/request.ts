import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Caller } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { badRequest } from './refusal.js';
import { readBody, readQuery } from './read.js';

const callers = new WeakMap<FastifyRequest, Caller>();

export function setCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller);
}

/** The verified caller of a request that passed the guard. Throws on public routes. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error('the route is public: it has no caller');
  return caller;
}

const requestOf = (context: ExecutionContext): FastifyRequest =>
  context.switchToHttp().getRequest<FastifyRequest>();

/** Parameter: the verified caller. */
export const FromCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(requestOf(context)),
);

/** In a wrapper of this name: Nest takes a bare schema for a pipe, and a member `schema` for one of its own. */
interface Wanted {
  readonly wanted: z.ZodType;
}

const queryAs = createParamDecorator(({ wanted }: Wanted, context: ExecutionContext) =>
  readQuery(requestOf(context).query, wanted),
);

const bodyAs = createParamDecorator(({ wanted }: Wanted, context: ExecutionContext) =>
  readBody(requestOf(context).body, wanted),
);

/** Parameter: the query, checked; unknown members are refused. */
export const FromQuery = (schema: z.ZodType): ParameterDecorator => queryAs({ wanted: schema });

/** Parameter: the JSON body, checked; unknown members are refused. */
export const FromBody = (schema: z.ZodType): ParameterDecorator => bodyAs({ wanted: schema });

/** Parameter: the idempotency key, 1 to 255 visible characters. */
export const FromIdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const key = requestOf(context).headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw badRequest('Idempotency-Key must be 1 to 255 visible ASCII characters');
  return key;
});

/** RFC 7240: `respond-async` among the preferences. */
export function prefersAsync(request: FastifyRequest): boolean {
  const prefer = request.headers['prefer'];
  const preferences = (Array.isArray(prefer) ? prefer.join(',') : (prefer ?? '')).split(',');
  return preferences.some((it) => it.split(';')[0]?.trim().toLowerCase() === 'respond-async');
}

/** Tells once when the client's connection closed before it got the whole answer. */
export function onGone(reply: FastifyReply, listener: () => void): void {
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) listener();
  });
}
