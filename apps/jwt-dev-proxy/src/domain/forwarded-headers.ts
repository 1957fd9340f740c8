import { connectionNames, headerValues, type RequestHead } from './request-head.js';

/**
 * What goes on to the gateway. An allow-list: identity headers (`X-Forwarded-*`, `X-User`, ...), cookies, the client's
 * own Authorization and whatever comes into fashion next are not on it. Origin, Referer and Sec-Fetch-* were judged here.
 */
const forwarded = [
  'accept',
  'accept-encoding',
  'accept-language',
  'baggage',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'last-event-id',
  'prefer',
  'traceparent',
  'tracestate',
  'transfer-encoding',
  'user-agent',
  'x-request-id',
];

export interface Added {
  /** Authority of the gateway. */
  readonly host: string;
  readonly token: string;
}

/** Headers of the request to the gateway. What `Connection` names stays here, even if it is on the list. */
export function forwardedHeaders(head: RequestHead, added: Added): Record<string, string> {
  const hopByHop = connectionNames(head);
  const names = new Set(
    head.rawHeaders.filter((_name, at) => at % 2 === 0).map((name) => name.toLowerCase()),
  );
  const headers: Record<string, string> = {};
  for (const name of names) {
    if (!isForwarded(name, head.upgrade) || hopByHop.has(name)) continue;
    headers[name] = headerValues(head, name).join(', ');
  }
  return {
    ...headers,
    host: added.host,
    authorization: `Bearer ${added.token}`,
    ...(head.upgrade ? { connection: 'Upgrade', upgrade: 'websocket' } : { connection: 'keep-alive' }),
  };
}

function isForwarded(name: string, upgrade: boolean): boolean {
  if (name.startsWith('mcp-') || forwarded.includes(name)) return true;
  return upgrade && name.startsWith('sec-websocket-');
}
