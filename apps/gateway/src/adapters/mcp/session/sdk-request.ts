import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { SessionRequest } from '../calls/session-requests.js';

/** One that came through the SDK all the same, because it speaks of tasks. */
export function sessionRequestOf(params: unknown, extra: RequestExtra): SessionRequest {
  return {
    id: extra.requestId,
    params,
    runs: () => undefined,
    onCancel: (listener) => extra.signal.addEventListener('abort', listener, { once: true }),
    notify: (progress) => {
      const sent = extra.sendNotification({ method: 'notifications/progress', params: progress as never });
      sent.catch(() => undefined);
    },
  };
}

export type RequestExtra = Parameters<NonNullable<Server['fallbackRequestHandler']>>[1];
