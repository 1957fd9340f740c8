import type { IncomingMessage } from 'node:http';
import type { Edge } from './edge.js';
import { Refusal } from '../refusal.js';

/** What a browser or a rebinding page sends is judged before any route, upgrades included. */
export function doorRefusal(
  edge: Edge,
  request: Pick<IncomingMessage, 'rawHeaders' | 'headers'>,
): Refusal | undefined {
  const names = request.rawHeaders.filter((_, index) => index % 2 === 0).map((it) => it.toLowerCase());
  for (const once of ['authorization', 'host', 'content-type'])
    if (names.indexOf(once) !== names.lastIndexOf(once))
      return new Refusal(400, 'bad_request', { message: `The header ${once} stands twice.` });
  const { host, origin } = request.headers;
  if (!edge.allowsHost(host))
    return new Refusal(403, 'host_not_allowed', { message: 'This Host is not served here.' });
  if (origin !== undefined && !edge.allowsOrigin(origin, host))
    return new Refusal(403, 'origin_not_allowed', { message: 'This Origin may not ask here.' });
  return undefined;
}
