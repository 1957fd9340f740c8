import { compact, elementTexts, JsonText, memberText, scanJson } from '@uar/json-text';
import { z } from 'zod';
import { rpcCodes } from './rpc-codes.js';

/** One JSON-RPC 2.0 message from a client, checked strictly (JSON-RPC 2.0 sections 4 and 5). */
export type ClientFrame =
  | {
      readonly kind: 'request';
      readonly id: string | number;
      readonly method: string;
      readonly message: ClientMessage;
      readonly text: string;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly message: ClientMessage }
  /** Whoever asked reads its result or error from the text, as it was sent. */
  | { readonly kind: 'response'; readonly message: ClientMessage; readonly text: string };

export type ClientMessage = Readonly<Record<string, unknown>> & { readonly jsonrpc: '2.0' };

export interface FrameRefusal {
  readonly kind: 'refused';
  /** JSON-RPC error code: -32700 for text that is no JSON, -32600 for everything else. */
  readonly code: number;
  readonly message: string;
}

/** Bounds of a whole frame; the arguments of a call have tighter ones of their own (GOVERNANCE.md 3). */
const frameLimits = { maxDepth: 64, maxNodes: 20_000 };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const params = z.record(z.string(), z.unknown()).optional();
const Frame = z.union([
  z.strictObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string().max(256), z.number().int()]),
    method: z.string().min(1).max(256),
    params,
  }),
  z.strictObject({ jsonrpc: z.literal('2.0'), method: z.string().min(1).max(256), params }),
  z.strictObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string().max(256), z.number().int()]),
    result: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string().max(256), z.number().int()]).optional(),
    error: z.looseObject({ code: z.number().int(), message: z.string() }),
  }),
]);

/** Most messages of one batch. */
const mostBatched = 100;

/**
 * The messages of one POST: one, or where batches are taken several (MCP 2025-03-26, "Sending Messages to the Server"). The
 * `arguments` of `tools/call` stay text (DESIGN.md 8): they stand in `params.arguments` as `JsonText`, so that nothing behind
 * this line can re-print them.
 */
export function readFrames(
  body: Uint8Array,
  { hasBatches }: { readonly hasBatches: boolean },
): readonly ClientFrame[] | FrameRefusal {
  const text = decoded(body);
  if (text === undefined)
    return { kind: 'refused', code: rpcCodes.parseError, message: 'the body is not UTF-8' };
  const scan = scanJson(text, frameLimits);
  if (scan.kind === 'bad') {
    const code = scan.problem === 'syntax' ? rpcCodes.parseError : rpcCodes.invalidRequest;
    return { kind: 'refused', code, message: `${scan.problem} at ${scan.pointer || 'the root'}` };
  }
  if (scan.rootKind === 'array') {
    return hasBatches ? readBatch(text) : invalid('batches are not accepted: send one message per request');
  }
  const frame = readFrame(text);
  return frame === undefined ? notOne : [frame];
}

function readBatch(text: string): readonly ClientFrame[] | FrameRefusal {
  const texts = elementTexts(text);
  if (texts.length === 0 || texts.length > mostBatched)
    return invalid(`a batch has 1 to ${mostBatched} messages`);
  const frames: ClientFrame[] = [];
  for (const each of texts) {
    const frame = readFrame(each);
    if (frame === undefined) return notOne;
    frames.push(frame);
  }
  const kinds = new Set(frames.map(({ kind }) => kind));
  if (kinds.has('request') && kinds.has('response'))
    return invalid('a batch has requests or responses, not both');
  if (frames.some((frame) => frame.kind === 'request' && frame.method === 'initialize'))
    return invalid('initialize is not part of a batch');
  return frames;
}

function invalid(message: string): FrameRefusal {
  return { kind: 'refused', code: rpcCodes.invalidRequest, message };
}

const notOne = invalid('not a JSON-RPC 2.0 message');

function readFrame(text: string): ClientFrame | undefined {
  const parsed = Frame.safeParse(JSON.parse(text));
  return parsed.success ? classify(parsed.data, text) : undefined;
}

function decoded(body: Uint8Array): string | undefined {
  try {
    return utf8.decode(body);
  } catch {
    return undefined;
  }
}

function classify(frame: z.output<typeof Frame>, text: string): ClientFrame {
  if (!('method' in frame)) return { kind: 'response', message: frame, text };
  const { method } = frame;
  const message = method === 'tools/call' ? withArgumentText(frame, text) : frame;
  return 'id' in frame
    ? { kind: 'request', id: frame.id, method, message, text }
    : { kind: 'notification', method, message };
}

function withArgumentText<M extends { readonly params?: Record<string, unknown> | undefined }>(
  frame: M,
  text: string,
): M {
  const raw = memberText(text, 'params', 'arguments');
  if (frame.params === undefined || raw === undefined) return frame;
  return { ...frame, params: { ...frame.params, arguments: new JsonText(compact(raw)) } };
}
