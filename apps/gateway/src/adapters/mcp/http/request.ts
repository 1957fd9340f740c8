import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { TokenScope } from '../../../domain/access/token-scopes.js';
import type { ClientFrame, FrameRefusal } from '../frame.js';
import { readFrames } from '../frame.js';
import { rpcCodes } from '../rpc-codes.js';
import type { McpSession } from '../session/session.js';
import type { Visit } from '../session/session-store.js';
import { refuse } from './refuse.js';

/** Who came to which front, verified. */
export interface McpVisit extends Visit {
  readonly headers: IncomingHttpHeaders;
  /** `sessionId` of the query: how the pair of 2024-11-05 names a session. */
  readonly pairSession: string | undefined;
}

/** Why a token is not enough, with the challenge that lets its client step up (RFC 6750 3.1). */
export interface ScopeRefusal {
  readonly status: number;
  readonly message: string;
  readonly details?: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** One HTTP request to an MCP endpoint, admitted. */
export interface McpRequest extends McpVisit {
  readonly method: string;
  /** As received; empty for GET and DELETE. */
  readonly body: Uint8Array;
  readonly response: ServerResponse;
  readonly session: McpSession | undefined;
  /** undefined where the token may do what needs these scopes. */
  scopeRefusal(needed: readonly TokenScope[]): ScopeRefusal | undefined;
}

export type ClientRequest = Extract<ClientFrame, { kind: 'request' }>;

/** Of a client with a session. Answers itself where the body is no message that this client may send. */
export function framesOf(
  request: McpRequest,
  rules: { readonly hasBatches: boolean },
): readonly ClientFrame[] | undefined {
  const frames = permittedFrames(request, rules);
  const [first] = frames ?? [];
  if (first?.kind !== 'request' || first.method !== 'server/discover') return frames;
  // Clients of both eras ask this first, and say in it of which one they are.
  const why = 'server/discover is of revision 2026-07-28, which this request does not name';
  refuse(request.response, { status: 400, why, id: first.id });
  return undefined;
}

/** Answers itself where the body is no message, or the token is not enough for what it asks. */
export function permittedFrames(
  request: McpRequest,
  rules: { readonly hasBatches: boolean },
): readonly ClientFrame[] | undefined {
  const { body, response } = request;
  const frames = readFrames(body, rules);
  if (isRefusal(frames)) {
    refuse(response, { status: 400, why: { code: frames.code, message: frames.message } });
    return undefined;
  }
  return refuseScopes(request, frames) ? undefined : frames;
}

/** Before a stream opens, and before any message of a batch has begun: a status can be sent only now. */
function refuseScopes({ response, scopeRefusal }: McpRequest, frames: readonly ClientFrame[]): boolean {
  const refusal = scopeRefusal([...new Set(frames.flatMap((frame) => scopesOf(frame)))]);
  if (refusal === undefined) return false;
  const { status, message, details, headers } = refusal;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const [only, more] = frames;
  const id = more === undefined && only?.kind === 'request' ? only.id : undefined;
  refuse(response, { status, why: { code: rpcCodes.refused, message, data: details }, id });
  return true;
}

const callingMethods = new Set(['tools/call', 'tasks/update', 'tasks/cancel']);

function scopesOf(frame: ClientFrame): readonly TokenScope[] {
  if (frame.kind === 'response') return [];
  return [callingMethods.has(frame.method) ? 'tools:call' : 'tools:read'];
}

export function isInitialize(frame: ClientFrame | undefined): frame is ClientRequest {
  return frame?.kind === 'request' && frame.method === 'initialize';
}

/** Of no session of this caller: clients begin anew after 404. */
export function refuseUnknown({ headers, pairSession, response }: McpRequest, frame?: ClientFrame): void {
  const id = frame?.kind === 'request' ? frame.id : undefined;
  if (headers['mcp-session-id'] === undefined && pairSession === undefined)
    return refuse(response, { status: 400, why: 'Mcp-Session-Id is missing: send initialize first', id });
  refuse(response, {
    status: 404,
    why: { code: rpcCodes.unknownSession, message: 'there is no such session' },
    id,
  });
}

function isRefusal(read: readonly ClientFrame[] | FrameRefusal): read is FrameRefusal {
  return 'kind' in read;
}
