import type { IncomingHttpHeaders } from 'node:http';
import { readQuery } from '../http/read.js';
import { Refusal, badRequest, notAvailable, notFound } from '../http/refusal.js';
import type { StreamAnswer } from '../domain/event/streams.js';
import { EventQuery } from './event-routes.js';

export interface EventAsk {
  readonly lastEventId?: number;
  readonly profile?: 'agui' | undefined;
}

/** What a client asks of a stream; the header wins over the query. Throws a refusal. */
export function eventAsk(headers: IncomingHttpHeaders, query: unknown): EventAsk {
  const { last_event_id, profile } = readQuery(query, EventQuery);
  const named = headers['last-event-id'] ?? last_event_id;
  // An EventSource that had no event yet sends an empty one.
  if (named === undefined || named === '') return { profile };
  if (typeof named !== 'string' || !/^\d{1,15}$/.test(named))
    throw badRequest('Last-Event-ID must be the id of an event of this stream');
  return { profile, lastEventId: Number(named) };
}

/** The refusal of a stream that was not admitted. */
export function streamRefusal(answer: Exclude<StreamAnswer, { kind: 'admitted' | 'complete' }>): Refusal {
  switch (answer.kind) {
    case 'not_found':
      return notFound('There is no run of this id for you.');
    case 'unavailable':
      return notAvailable();
    case 'limited':
      return new Refusal(429, 'rate_limited', {
        message: 'More streams are open than may be; end one, or ask again after Retry-After.',
        details: { retry_after_ms: answer.retryAfterMs },
        headers: { 'retry-after': String(Math.ceil(answer.retryAfterMs / 1_000)) },
      });
  }
}
