import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { ClientFrame, FrameRefusal } from '../frame.js';
import { readFrames } from '../frame.js';
import type { McpSession } from '../session/session.js';
import type { Visit } from '../session/session-store.js';
import { refuse } from './refuse.js';

/** Who came to which front, verified. */
export interface McpVisit extends Visit {
  readonly headers: IncomingHttpHeaders;
  /** `sessionId` of the query: how the pair of 2024-11-05 names a session. */
  readonly pairSession: string | undefined;
}

/** One HTTP request to an MCP endpoint, admitted. */
export interface McpRequest extends McpVisit {
  readonly method: string;
  /** As received; empty for GET and DELETE. */
  readonly body: Uint8Array;
  readonly response: ServerResponse;
  readonly session: McpSession | undefined;
}

export type ClientRequest = Extract<ClientFrame, { kind: 'request' }>;

/** Answers itself where the body is no message that this client may send. */
export function framesOf(
  { body, response }: McpRequest,
  rules: { readonly hasBatches: boolean },
): readonly ClientFrame[] | undefined {
  const frames = readFrames(body, rules);
  if (isRefusal(frames)) {
    refuse(response, { status: 400, why: { code: frames.code, message: frames.message } });
    return undefined;
  }
  const [first] = frames;
  if (first?.kind !== 'request' || first.method !== 'server/discover') return frames;
  // Clients of both eras ask this first; from this answer they know that here it is `initialize`.
  refuse(response, { status: 400, why: 'sessions only: send initialize', id: first.id });
  return undefined;
}

export function isInitialize(frame: ClientFrame | undefined): frame is ClientRequest {
  return frame?.kind === 'request' && frame.method === 'initialize';
}

/** Of no session of this caller: clients begin anew after 404. */
export function refuseUnknown({ headers, pairSession, response }: McpRequest, frame?: ClientFrame): void {
  const id = frame?.kind === 'request' ? frame.id : undefined;
  if (headers['mcp-session-id'] === undefined && pairSession === undefined)
    return refuse(response, { status: 400, why: 'Mcp-Session-Id is missing: send initialize first', id });
  refuse(response, { status: 404, why: { code: -32001, message: 'there is no such session' }, id });
}

function isRefusal(read: readonly ClientFrame[] | FrameRefusal): read is FrameRefusal {
  return 'kind' in read;
}
