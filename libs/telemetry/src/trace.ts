import { randomFillSync } from 'node:crypto';

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const zeroTrace = '0'.repeat(32);
const zeroSpan = '0'.repeat(16);

const pool = Buffer.alloc(4096);
let used = pool.length;

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  const hex = pool.toString('hex', used - bytes, used);
  return /^0+$/.test(hex) ? randomHex(bytes) : hex;
}

/** A `traceparent` (W3C Trace Context, version 00) that begins a trace; sampled. */
export function newTrace(): string {
  return `00-${randomHex(16)}-${randomHex(8)}-01`;
}

/** The same trace with a span of its own; a new trace where `traceparent` is absent or malformed. */
export function childOf(traceparent: string | undefined): string {
  const parent = parseTrace(traceparent);
  return parent === undefined ? newTrace() : `00-${parent.traceId}-${randomHex(8)}-${parent.flags}`;
}

export interface Trace {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: string;
}

export function parseTrace(traceparent: string | undefined): Trace | undefined {
  const [, traceId = zeroTrace, spanId = zeroSpan, flags = '00'] = pattern.exec(traceparent ?? '') ?? [];
  return traceId === zeroTrace || spanId === zeroSpan ? undefined : { traceId, spanId, flags };
}
