import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Caller } from '@uar/contracts';
import { EventStream } from '../http/event-stream.js';
import { type ClientFrame, readFrame } from './frame.js';
import type { McpSession } from './session/session.js';
import type { SessionStore, Visit } from './session/session-store.js';

/** Who came to which front, verified. */
export interface McpVisit extends Visit {
  readonly headers: IncomingHttpHeaders;
}

export type Admission =
  /** With the session that its headers name; undefined: none of this caller at this front. */
  | { readonly kind: 'admitted'; readonly session: McpSession | undefined }
  /** This caller must not learn that the front exists. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'unavailable' };

/** One HTTP request to an MCP endpoint, admitted. */
export interface McpRequest extends McpVisit {
  readonly method: string;
  /** As received; empty for GET and DELETE. */
  readonly body: Uint8Array;
  readonly response: ServerResponse;
  readonly session: McpSession | undefined;
}

export type OpenDecision = 'allow' | 'deny' | 'unavailable';

const revisions = new Set(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']);

/** Streamable HTTP (MCP 2025-11-25, "Transports"): stateful, POST answered by server-sent events, GET for the standing stream, DELETE ends. */
export class McpEndpoint {
  constructor(
    private readonly sessions: SessionStore,
    /** May this caller open a session at all (action listTools)? */
    private readonly mayOpen: (caller: Caller) => Promise<OpenDecision>,
  ) {}

  /** A caller with a session has been at the front: it is asked for no more than that. */
  async admit(visit: McpVisit): Promise<Admission> {
    const id = visit.headers['mcp-session-id'];
    const session = typeof id === 'string' ? this.sessions.find(id, visit) : undefined;
    if (session !== undefined) return { kind: 'admitted', session };
    const presence = await visit.front.presence(visit.caller);
    return presence === 'there' ? { kind: 'admitted', session } : { kind: presence };
  }

  async serve(request: McpRequest): Promise<void> {
    const revision = request.headers['mcp-protocol-version'];
    if (revision !== undefined && (typeof revision !== 'string' || !revisions.has(revision))) {
      return refuse(request.response, 400, 'this protocol version is not supported');
    }
    switch (request.method) {
      case 'POST':
        return this.post(request);
      case 'GET':
        return this.get(request);
      case 'DELETE':
        return this.delete(request);
      default:
        request.response.setHeader('allow', 'GET, POST, DELETE');
        return refuse(request.response, 405, 'method not allowed');
    }
  }

  private async post(request: McpRequest): Promise<void> {
    if (!accepts(request, 'application/json') || !accepts(request, 'text/event-stream')) {
      return refuse(request.response, 406, 'Accept must name application/json and text/event-stream');
    }
    const frame = readFrame(request.body);
    if (frame.kind === 'refused') return refuse(request.response, 400, frame);
    if (frame.kind === 'request' && frame.method === 'initialize') return this.initialize(request, frame);
    const session = this.sessionOf(request);
    if (session === undefined) return;
    if (frame.kind !== 'request') {
      session.transport.deliver(frame);
      request.response.writeHead(202).end();
      return;
    }
    this.takeRequest(request, session, frame);
  }

  private async initialize(
    request: McpRequest,
    frame: Extract<ClientFrame, { kind: 'request' }>,
  ): Promise<void> {
    if (request.headers['mcp-session-id'] !== undefined) {
      return refuse(request.response, 400, 'this session is already initialized');
    }
    const decision = await this.mayOpen(request.caller);
    if (decision === 'deny') return refuse(request.response, 403, 'policy does not allow an MCP session');
    if (decision === 'unavailable')
      return refuse(request.response, 503, 'the decision point is not available');
    const session = await this.sessions.open(request);
    if (session === 'full') return refuse(request.response, 503, 'too many sessions');
    if (session === 'unavailable') return refuse(request.response, 503, 'the session cannot be recorded now');
    session.greet(frame.message['params']);
    this.takeRequest(request, session, frame);
  }

  private takeRequest(
    request: McpRequest,
    session: McpSession,
    frame: Extract<ClientFrame, { kind: 'request' }>,
  ): void {
    const stream = new EventStream(request.response, { 'mcp-session-id': session.id });
    if (session.transport.takeRequest(frame, stream)) return;
    stream.discard();
    refuse(request.response, 400, 'a request with this id is still in flight');
  }

  private get(request: McpRequest): void {
    if (!accepts(request, 'text/event-stream')) {
      return refuse(request.response, 406, 'Accept must name text/event-stream');
    }
    const session = this.sessionOf(request);
    if (session === undefined) return;
    const stream = new EventStream(request.response, { 'mcp-session-id': session.id });
    if (session.transport.openStanding(stream)) return stream.begin();
    stream.discard();
    refuse(request.response, 409, 'this session has its stream already');
  }

  private async delete(request: McpRequest): Promise<void> {
    const session = this.sessionOf(request);
    if (session === undefined) return;
    await this.sessions.end(session);
    request.response.writeHead(200).end();
  }

  /** Answers 400 or 404 itself when there is no such session for this caller. */
  private sessionOf(request: McpRequest): McpSession | undefined {
    const { session, headers, response } = request;
    if (session !== undefined) return session;
    if (headers['mcp-session-id'] === undefined)
      refuse(response, 400, 'Mcp-Session-Id is missing: send initialize first');
    else refuse(response, 404, { code: -32001, message: 'there is no such session' });
    return undefined;
  }
}

function accepts(request: McpRequest, type: string): boolean {
  const accept = request.headers.accept ?? '';
  return accept.includes(type) || accept.includes('*/*');
}

interface RpcProblem {
  readonly code: number;
  readonly message: string;
}

/** A refusal of the transport: an HTTP status and a JSON-RPC error without id. */
function refuse(response: ServerResponse, status: number, why: string | RpcProblem): void {
  const { code, message } = typeof why === 'string' ? { code: -32000, message: why } : why;
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
