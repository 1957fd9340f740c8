import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { contentTypeOf, readEvents } from './body.js';
import { StreamPlace } from './stream-place.js';

export interface NotificationStream {
  readonly open: (signal: AbortSignal, lastEventId: string | undefined) => Promise<IncomingMessage>;
  readonly maxBytes: number;
  readonly onData: (data: string) => void;
  /** Each attempt to open it was answered, with whatever, or failed. */
  readonly onHead: () => void;
  readonly signal: AbortSignal;
}

const defaultPauseMs = 500;
const longestPauseMs = 30_000;
/** A stream that held this long was no failure: the next one is opened soon. */
const steadyMs = 10_000;
/** The session is forgotten (404), or there are none any more (405). */
const endings: ReadonlySet<number> = new Set([404, 405]);

/**
 * Keeps the optional GET stream open, on which an upstream sends what belongs to no request. True: the upstream is gone
 * or knows the session no more. False: it offers no such stream, or the signal aborted.
 */
export async function listenForNotifications(stream: NotificationStream): Promise<boolean> {
  const place = new StreamPlace();
  let failures = 0;
  for (let isFirst = true; !stream.signal.aborted; isFirst = false) {
    const start = performance.now();
    const attempt = new AbortController();
    const abort = (): void => attempt.abort();
    stream.signal.addEventListener('abort', abort, { once: true });
    const response = await stream.open(attempt.signal, place.lastEventId).catch(() => undefined);
    stream.onHead();
    if (response === undefined) {
      stream.signal.removeEventListener('abort', abort);
      return !isFirst && !stream.signal.aborted;
    }
    const isStream = response.statusCode === 200 && contentTypeOf(response) === 'text/event-stream';
    if (isStream) await readEvents(response, { ...stream, ...place.listener, onTooLong: () => undefined });
    else response.resume();
    stream.signal.removeEventListener('abort', abort);
    if (!isStream) return !isFirst && endings.has(response.statusCode ?? 0);
    const isSteady = performance.now() - start > steadyMs;
    await wait(pauseOf(isSteady ? 0 : failures, place.retryMs), undefined, {
      signal: stream.signal,
      ref: false,
    }).catch(() => undefined);
    failures = isSteady ? 0 : failures + 1;
  }
  return false;
}

/** As the upstream wants it, and longer each time that the stream did not hold. */
function pauseOf(failures: number, retryMs = defaultPauseMs): number {
  return Math.max(retryMs, Math.min(longestPauseMs, retryMs * 2 ** failures));
}
