import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { RequestProblem } from '../frames/frame.js';
import { contentTypeOf, readEvents } from './body.js';
import { StreamPlace } from './stream-place.js';

export interface AnswerStream {
  /** Longest event that is read. */
  readonly maxBytes: number;
  readonly onData: (data: string) => void;
  /** The answer that the stream is for came, here or elsewhere. */
  readonly isAnswered: () => boolean;
  /** Asks for what follows the event. */
  readonly reopen: (lastEventId: string, signal: AbortSignal) => Promise<IncomingMessage>;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** How long an event stream may stay open behind the answer that it was for. */
const lingerMs = 1_000;
/** Where the upstream names no time. */
const defaultRetryMs = 1_000;
/** Connections in a row that gave no stream. */
const maxFailures = 4;
const cut = { kind: 'transport_failure', message: 'the event stream ended without the answer' } as const;

/**
 * Reads the stream of a request's answer, and goes on with it by GET where it ended early behind an event with an id
 * (MCP 2025-11-25, "Resumability and Redelivery"): the request itself is never sent again. Resolves with what is wrong
 * where the answer did not come.
 */
export async function readAnswerStream(
  first: IncomingMessage,
  stream: AnswerStream,
): Promise<RequestProblem['problem']> {
  const place = new StreamPlace();
  let response: IncomingMessage | undefined = first;
  while (response !== undefined) {
    const longest = await readOnce(response, stream, place);
    if (longest > 0) return { kind: 'result_too_large', bytes: longest };
    response = await nextOf(stream, place);
  }
  return cut;
}

/** Bytes of an event that is too long, else 0. */
async function readOnce(
  response: IncomingMessage,
  stream: AnswerStream,
  place: StreamPlace,
): Promise<number> {
  let longest = 0;
  await readEvents(response, {
    maxBytes: stream.maxBytes,
    ...place.listener,
    onData: (data) => {
      stream.onData(data);
      if (stream.isAnswered()) setTimeout(() => response.destroy(), lingerMs).unref();
    },
    onTooLong: (bytes) => {
      longest = bytes;
      response.destroy();
    },
  });
  return longest;
}

async function nextOf(stream: AnswerStream, place: StreamPlace): Promise<IncomingMessage | undefined> {
  const { lastEventId } = place;
  if (lastEventId === undefined) return undefined;
  for (let failures = 0; failures < maxFailures; failures += 1) {
    const pauseMs = (place.retryMs ?? defaultRetryMs) * 2 ** failures;
    await wait(pauseMs, undefined, { signal: stream.signal, ref: false }).catch(() => undefined);
    if (stream.signal.aborted || stream.isAnswered()) return undefined;
    const response = await stream.reopen(lastEventId, stream.signal).catch(() => undefined);
    if (response === undefined) continue;
    if (response.statusCode === 200 && contentTypeOf(response) === 'text/event-stream') return response;
    response.resume();
    if ((response.statusCode ?? 0) < 500) return undefined;
  }
  return undefined;
}
