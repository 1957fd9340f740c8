import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Edge } from '../http/edge/edge.js';
import { Refusal, badRequest } from '../http/refusal.js';

/**
 * Refuses what a page of somebody else made a browser send. The door has refused most of it already, but not the origins
 * that get CORS: they may ask, and may not decide for whoever looks at them.
 */
export function refuseForeign({ headers }: FastifyRequest, edge: Pick<Edge, 'isOwnOrigin'>): void {
  const { origin, host, 'sec-fetch-site': site, authorization } = headers;
  const isElsewhere = origin !== undefined && !edge.isOwnOrigin(origin, host);
  const isForeign = isElsewhere || (site !== undefined && site !== 'same-origin' && site !== 'none');
  // A program that shows a token itself is no browser that was tricked; a form of ours always says where it stands.
  const isUnsaid = origin === undefined && site === undefined && authorization === undefined;
  if (isForeign || isUnsaid)
    throw new Refusal(403, 'origin_not_allowed', { message: 'This form was not sent from a page of ours.' });
}

/** The members of a posted form. Throws for what does not fit. */
export function readForm<S extends z.ZodType>(request: FastifyRequest, schema: S): z.output<S> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw new Refusal(415, 'unsupported_media_type', { message: 'Send application/x-www-form-urlencoded.' });
  const text = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '';
  const members = [...new URLSearchParams(text)];
  if (new Set(members.map(([name]) => name)).size < members.length)
    throw badRequest('a member of the form stands twice');
  const parsed = schema.safeParse(Object.fromEntries(members));
  if (!parsed.success) throw badRequest('the form does not fit');
  return parsed.data;
}
