import type { Caller } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest } from './refusal.js';

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

/** A path parameter of the route, decoded. */
export function pathParameter({ params }: FastifyRequest, name: string): string {
  const value: unknown =
    typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
  if (typeof value !== 'string') throw new Error(`the route has no parameter ${name}`);
  return value;
}

/** 1 to 255 visible characters; undefined when there is none. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw badRequest('Idempotency-Key must be 1 to 255 visible ASCII characters');
  return key;
}

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
