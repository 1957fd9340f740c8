import { EventStream } from '../../http/event-stream.js';
import { eventText } from '../../http/event-text.js';
import type { ClientFrame } from '../frame.js';
import type { McpSession } from '../session/session.js';
import type { SessionStore } from '../session/session-store.js';
import { accepts } from './accept.js';
import { refuse } from './refuse.js';
import { type ClientRequest, framesOf, isInitialize, type McpRequest, refuseUnknown } from './request.js';
import { greetingOf, type SessionDoor } from './session-door.js';

export interface PairParts {
  readonly door: SessionDoor;
  readonly sessions: SessionStore;
  /** Path of a front as clients see it. */
  publicPathOf(path: string): string;
}

/** "HTTP with SSE" of MCP 2024-11-05: a stream that says where to post to and carries all answers. The session ends with it. */
export class SessionPair {
  constructor(private readonly parts: PairParts) {}

  async open(request: McpRequest): Promise<void> {
    const { headers, response, front } = request;
    if (!accepts(headers.accept, 'text/event-stream'))
      return refuse(response, { status: 406, why: 'Accept must name text/event-stream' });
    const session = await this.parts.door.open(request, 'pair');
    if (session === undefined) return;
    const stream = new EventStream(response, {});
    stream.onClose(() => void this.parts.sessions.end(session, 'gateway'));
    const url = `${this.parts.publicPathOf(front.path)}?sessionId=${session.id}`;
    stream.write(eventText({ name: 'endpoint', data: url }));
    session.transport.openStanding(stream);
  }

  post(request: McpRequest): void {
    const { session } = request;
    const frames = framesOf(request, { hasBatches: false });
    if (frames === undefined) return;
    const [first] = frames;
    if (session === undefined) return refuseUnknown(request, first);
    if (isInitialize(first)) return this.initialize(request, session, first);
    this.take(request, session, frames);
  }

  private initialize(request: McpRequest, session: McpSession, frame: ClientRequest): void {
    if (session.revision !== undefined)
      return refuse(request.response, {
        status: 400,
        why: 'this session is already initialized',
        id: frame.id,
      });
    const greeted = greetingOf(request, frame);
    if (greeted === undefined) return;
    session.greet(greeted.greeting);
    this.take(request, session, [greeted.request]);
  }

  private take({ response }: McpRequest, session: McpSession, frames: readonly ClientFrame[]): void {
    if (session.transport.take(frames)) {
      response.writeHead(202).end();
      return;
    }
    refuse(response, { status: 400, why: 'a request with this id is still in flight' });
  }
}
