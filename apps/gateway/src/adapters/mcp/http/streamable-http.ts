import { EventStream } from '../../http/event-stream.js';
import type { ClientFrame } from '../frame.js';
import { hasBatches } from '../revisions.js';
import type { McpSession } from '../session/session.js';
import type { SessionStore } from '../session/session-store.js';
import { accepts } from './accept.js';
import { refuse } from './refuse.js';
import { type ClientRequest, framesOf, isInitialize, type McpRequest, refuseUnknown } from './request.js';
import { greetingOf, type SessionDoor } from './session-door.js';

const json = 'application/json';
const eventStream = 'text/event-stream';

/**
 * Streamable HTTP (MCP 2025-11-25, "Transports"): POST answered by server-sent events, GET for the standing stream or one that
 * was lost, DELETE ends the session.
 */
export class StreamableHttp {
  constructor(
    private readonly door: SessionDoor,
    private readonly sessions: SessionStore,
  ) {}

  async post(request: McpRequest): Promise<void> {
    const { headers, response, session } = request;
    if (!accepts(headers.accept, json) || !accepts(headers.accept, eventStream))
      return refuse(response, { status: 406, why: `Accept must name ${json} and ${eventStream}` });
    const frames = framesOf(request, { hasBatches: takesBatches(request) });
    if (frames === undefined) return;
    const [first] = frames;
    if (isInitialize(first)) return this.initialize(request, first);
    if (session === undefined) return refuseUnknown(request, first);
    if (frames.some(({ kind }) => kind === 'request')) return this.answer(request, session, frames);
    session.transport.take(frames);
    response.writeHead(202).end();
  }

  /** The standing stream, or the one that the client lost. */
  listen(request: McpRequest): void {
    const { headers, response, session } = request;
    if (!accepts(headers.accept, eventStream))
      return refuse(response, { status: 406, why: `Accept must name ${eventStream}` });
    if (session === undefined) return refuseUnknown(request);
    const stream = new EventStream(response, { 'mcp-session-id': session.id });
    const lost = headers['last-event-id'];
    if (typeof lost === 'string') {
      if (session.transport.resume(lost, stream) === 'resumed') return;
      stream.discard();
      return refuse(response, { status: 400, why: 'what followed this event is not kept' });
    }
    if (session.transport.openStanding(stream)) return;
    stream.discard();
    refuse(response, { status: 409, why: 'this session has its stream already' });
  }

  async end(request: McpRequest): Promise<void> {
    if (request.session === undefined) return refuseUnknown(request);
    await this.sessions.end(request.session, 'client');
    request.response.writeHead(200).end();
  }

  private async initialize(request: McpRequest, frame: ClientRequest): Promise<void> {
    if (request.session !== undefined)
      return refuse(request.response, {
        status: 400,
        why: 'this session is already initialized',
        id: frame.id,
      });
    if (request.headers['mcp-session-id'] !== undefined) return refuseUnknown(request, frame);
    const greeted = greetingOf(request, frame);
    if (greeted === undefined) return;
    const session = await this.door.open(request, 'streamable');
    if (session === undefined) return;
    session.greet(greeted.greeting);
    this.answer(request, session, [greeted.request]);
  }

  private answer(request: McpRequest, session: McpSession, frames: readonly ClientFrame[]): void {
    const { response } = request;
    const stream = new EventStream(response, { 'mcp-session-id': session.id });
    if (session.transport.take(frames, stream)) return;
    stream.discard();
    const id = frames.length === 1 && frames[0]?.kind === 'request' ? frames[0].id : undefined;
    refuse(response, { status: 400, why: 'a request with this id is still in flight', id });
  }
}

/** Of a session whose revision has them, from a client that does not say meanwhile that it speaks another. */
function takesBatches({ session, headers }: McpRequest): boolean {
  const said = headers['mcp-protocol-version'];
  if (session?.revision === undefined) return false;
  return hasBatches(session.revision) && (said === undefined || said === session.revision);
}
