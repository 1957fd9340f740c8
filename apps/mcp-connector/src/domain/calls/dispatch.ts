import type { HostAnswer } from '@uar/contracts';
import type { Place } from '../seats/place.js';
import type { CallEnd, UpstreamCall } from '../upstream.js';
import type { GrantedRequest } from './granted-request.js';

/** Sends a granted request once, or, of a subscription that others still need, not at all. Never rejects. */
export async function dispatch(
  request: GrantedRequest,
  { upstream, subscriptions }: Place,
  how: Pick<UpstreamCall, 'signal' | 'onProgress' | 'definition'>,
): Promise<HostAnswer> {
  const { call_id: callId, timeout_ms: timeoutMs, max_result_bytes: maxResultBytes } = request.ask;
  const send = async (): Promise<CallEnd> =>
    await upstream.call({ callId, timeoutMs, maxResultBytes, ...request.message(), ...how });
  const { method, raw_name: uri } = request.granted;
  if (method === 'resources/subscribe') return await subscriptions.subscribe(uri, send);
  if (method === 'resources/unsubscribe') return await subscriptions.unsubscribe(uri, send);
  return await send();
}
