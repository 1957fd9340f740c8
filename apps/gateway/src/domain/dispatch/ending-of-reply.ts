import type { Ending } from '../call/ending.js';
import type { HostReply } from '../call/ports.js';

interface Asked {
  readonly server: string;
  /** We asked for it; a host that cancels by itself broke the call. */
  readonly cancelAsked: boolean;
}

/** What a host's reply says of the call. */
export function endingOf(reply: HostReply, { server, cancelAsked }: Asked): Ending {
  switch (reply.kind) {
    case 'ran':
      return { outcome: reply.is_error ? 'tool_error' : 'completed', resultJson: reply.result_json };
    case 'upstream_error':
      return {
        outcome: 'upstream_error',
        cause: `upstream_code_${reply.code}`,
        upstreamError: {
          code: reply.code,
          message: reply.message,
          ...(reply.data_json === undefined ? {} : { dataJson: reply.data_json }),
          ...(reply.lacking === undefined ? {} : { lacking: reply.lacking }),
        },
      };
    case 'refused':
      return { outcome: 'unavailable', cause: `grant_refused: ${reply.cause}` };
    case 'overloaded':
      return { outcome: 'overloaded', retryAfterMs: reply.retry_after_ms, cause: 'host_queue_full' };
    case 'timeout':
      return { outcome: 'timeout' };
    case 'transport_failure':
      return { outcome: 'transport_failure' };
    case 'result_too_large':
      return { outcome: 'result_too_large' };
    case 'cancelled':
      return endOfCancelled(reply.dispatched, cancelAsked);
    case 'no_responders':
    case 'not_owner':
    case 'not_sent':
      return cancelAsked ? { outcome: 'cancelled' } : { outcome: 'unavailable', cause: reply.kind };
    case 'unavailable':
      if (reply.cause !== undefined && !cancelAsked) return unconnected(reply.cause, server);
      return cancelAsked ? { outcome: 'cancelled' } : { outcome: 'unavailable', cause: reply.kind };
  }
}

/** Somebody can give what is missing: the caller is told where. */
function unconnected(cause: 'auth_required' | 'own_auth_required', server: string): Ending {
  const connect = `POST /api/uar/mcp/servers/${server}/connect${cause === 'own_auth_required' ? '/own' : ''}`;
  return { outcome: 'unavailable', cause, details: { reason: 'auth_required', connect } };
}

function endOfCancelled(dispatched: boolean, cancelAsked: boolean): Ending {
  if (cancelAsked) return { outcome: dispatched ? 'cancelled_after_dispatch' : 'cancelled' };
  return { outcome: dispatched ? 'transport_failure' : 'unavailable', cause: 'host_cancelled' };
}
