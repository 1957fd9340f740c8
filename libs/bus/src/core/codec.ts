import { isUtf8 } from 'node:buffer';
import type { Incoming } from './wire.js';

const partsAboveBytes = 512 * 1024;
const partBytes = 256 * 1024;
const tracePattern = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** JSON bytes; undefined for what JSON cannot say (undefined itself, cycles, BigInt). */
export function encodeJson(value: unknown): Buffer | undefined {
  try {
    const text = JSON.stringify(value);
    return text === undefined ? undefined : Buffer.from(text, 'utf8');
  } catch {
    return undefined;
  }
}

/** The value, or undefined (which is no JSON value) for bytes that are no JSON in UTF-8. */
export function decodeJson(body: Uint8Array): unknown {
  if (!isUtf8(body)) return undefined;
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The pieces an answer travels in; one when it is short enough. Views, not copies. */
export function partsOf(body: Buffer, maxBodyBytes: number): readonly Buffer[] {
  if (body.length <= Math.min(partsAboveBytes, maxBodyBytes)) return [body];
  const step = Math.min(partBytes, maxBodyBytes);
  const parts: Buffer[] = [];
  for (let start = 0; start < body.length; start += step) parts.push(body.subarray(start, start + step));
  return parts;
}

/** W3C traceparent or nothing: a trace is never worth failing an ask for. */
export function traceOf(text: string | undefined): string | undefined {
  return text !== undefined && tracePattern.test(text) ? text : undefined;
}

export type Assembled =
  | { readonly kind: 'whole'; readonly body: Uint8Array }
  | { readonly kind: 'partial' }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'broken' };

const partial: Assembled = { kind: 'partial' };

/** Puts the parts of one answer together. A connection keeps order, so anything but the next part is a forgery or a bug. */
export class Assembly {
  readonly #parts: Uint8Array[] = [];
  #bytes = 0;
  #count: string | undefined;

  constructor(private readonly maxBytes: number) {}

  add(message: Incoming): Assembled {
    const part = message.headers?.part;
    if (part === undefined) return this.#single(message.body);
    const [index, count] = part.split('/', 2);
    if (count === undefined || message.body.length === 0) return { kind: 'broken' };
    this.#count ??= count;
    this.#parts.push(message.body);
    this.#bytes += message.body.length;
    if (count !== this.#count || index !== String(this.#parts.length)) return { kind: 'broken' };
    if (this.#bytes > this.maxBytes) return { kind: 'too_large' };
    if (index !== count) return partial;
    return { kind: 'whole', body: Buffer.concat(this.#parts, this.#bytes) };
  }

  #single(body: Uint8Array): Assembled {
    if (this.#count !== undefined) return { kind: 'broken' };
    return body.length > this.maxBytes ? { kind: 'too_large' } : { kind: 'whole', body };
  }
}
