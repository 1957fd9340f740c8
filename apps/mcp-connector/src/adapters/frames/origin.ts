import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { compact } from '@uar/json-text';

/** Where a message came from: the stream of the answer to one request, by its id, or the one that belongs to none. */
export type Stream = number | 'standing';

/** What is known of a message for which its type has no place. */
const params = new WeakMap<JSONRPCMessage, string>();
const streams = new WeakMap<JSONRPCMessage, Stream>();

export function noteParams(message: JSONRPCMessage, text: string): void {
  params.set(message, text);
}

/** `params` as they were sent, on one line; `{}` where there are none. */
export function paramsText(message: JSONRPCMessage): string {
  const text = params.get(message) ?? '{}';
  return /[\r\n]/.test(text) ? compact(text) : text;
}

export function noteStream(message: JSONRPCMessage, stream: Stream): void {
  streams.set(message, stream);
}

/** Undefined: the transport has no more than one. */
export function streamOf(message: JSONRPCMessage): Stream | undefined {
  return streams.get(message);
}
