import type { Ending } from '../call/ending.js';
import type { HostReply } from '../call/ports.js';

type MissingCredentials = NonNullable<Extract<HostReply, { kind: 'unavailable' }>['cause']>;

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

/** The caller is told what is missing, and where somebody can give it. */
function unconnected(cause: MissingCredentials, server: string): Ending {
  if (cause === 'caller_token_missing' || cause === 'exchange_refused')
    return { outcome: 'unavailable', cause, details: { reason: cause, way_out: wayOut[cause] } };
  const connect = `POST /api/uar/mcp/servers/${server}/connect${cause === 'own_auth_required' ? '/own' : ''}`;
  return { outcome: 'unavailable', cause, details: { reason: 'auth_required', connect } };
}

const wayOut = {
  caller_token_missing:
    'call again with a bearer token that has not ended: the server acts for its caller by it',
  exchange_refused:
    'ask who runs the authorization server of this upstream to let the gateway act for you there',
} as const;

function endOfCancelled(dispatched: boolean, cancelAsked: boolean): Ending {
  if (cancelAsked) return { outcome: dispatched ? 'cancelled_after_dispatch' : 'cancelled' };
  return { outcome: dispatched ? 'transport_failure' : 'unavailable', cause: 'host_cancelled' };
}
