import type { IncomingMessage } from 'node:http';
import type { Bearer, Token } from '../../domain/account/bearer.js';
import { NotAuthorized, NotSent } from '../not-sent.js';
import { hintsOf } from '../oauth/challenge.js';
import { send, type HttpExchange, type HttpTarget } from './post.js';

/**
 * Sends one request with the token of an account. One that was answered 401, or 403 for want of a scope, did nothing
 * (RFC 9110 15.5.2, RFC 6750 3.1): with another token it is sent once more.
 */
export async function sendAs(
  bearer: Bearer | undefined,
  target: HttpTarget,
  exchange: HttpExchange,
): Promise<IncomingMessage> {
  if (bearer === undefined) return await send(target, exchange);
  const first = usable(await bearer.token(exchange), bearer);
  const response = await send(target, withToken(exchange, first));
  const hints = hintsOf(response.headers);
  const wantsMore = response.statusCode === 403 && hints.error === 'insufficient_scope';
  if (response.statusCode !== 401 && !wantsMore) return taken(response, bearer, exchange);
  response.resume();
  const second = usable(await bearer.renew(first, hints, exchange), bearer);
  if (second === undefined)
    throw new NotAuthorized(`the upstream answered HTTP ${response.statusCode}`, bearer.missing);
  const again = await send(target, withToken(exchange, second));
  if (again.statusCode !== 401 && again.statusCode !== 403) return taken(again, bearer, exchange);
  again.resume();
  const refusal = `the upstream refuses the credentials (HTTP ${again.statusCode})`;
  bearer.heard(refusal, exchange);
  throw new NotAuthorized(refusal, bearer.missing);
}

function taken(response: IncomingMessage, bearer: Bearer, exchange: HttpExchange): IncomingMessage {
  bearer.heard(undefined, exchange);
  return response;
}

function usable(token: Token, { missing }: Bearer): string | undefined {
  switch (token.kind) {
    case 'token':
      return token.token;
    case 'none':
      return undefined;
    case 'auth_required':
      throw new NotAuthorized(token.message, token.missing ?? missing);
    case 'unavailable':
      throw new NotSent(token.message);
  }
}

function withToken(exchange: HttpExchange, token: string | undefined): HttpExchange {
  if (token === undefined) return exchange;
  return { ...exchange, headers: { ...exchange.headers, authorization: `Bearer ${token}` } };
}
