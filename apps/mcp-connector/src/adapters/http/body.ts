import type { IncomingMessage } from 'node:http';
import { SseReader, type SseReaderOptions } from '../frames/sse-reader.js';

export type Body =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'too_long'; readonly bytes: number };

/** The whole body, or that it is longer than `maxBytes` (then the response is given up). Rejects when it is cut. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      response.destroy();
      return { kind: 'too_long', bytes };
    }
    chunks.push(chunk);
  }
  return { kind: 'text', text: Buffer.concat(chunks, bytes).toString('utf8') };
}

/** Reads events until the stream ends, however it ends. */
export async function readEvents(response: IncomingMessage, listener: SseReaderOptions): Promise<void> {
  const reader = new SseReader(listener);
  await new Promise<void>((resolve) => {
    response.on('data', (chunk: Buffer) => reader.read(chunk));
    response.once('error', () => undefined).once('close', resolve);
  });
}

export function contentTypeOf(response: IncomingMessage): string {
  return (response.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}
