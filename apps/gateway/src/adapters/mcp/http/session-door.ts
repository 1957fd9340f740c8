import type { Caller } from '@uar/contracts';
import { type Greeting, readGreeting } from '../revisions.js';
import { rpcCodes } from '../rpc-codes.js';
import type { McpSession, SessionKind } from '../session/session.js';
import type { SessionStore } from '../session/session-store.js';
import { refuse } from './refuse.js';
import type { ClientRequest, McpRequest } from './request.js';

export type OpenDecision = 'allow' | 'deny' | 'unavailable';

/** Where sessions begin. What is refused is answered here. */
export class SessionDoor {
  constructor(
    private readonly sessions: SessionStore,
    /** May this caller open a session at all (action listTools)? */
    private readonly mayOpen: (caller: Caller) => Promise<OpenDecision>,
  ) {}

  async open(request: McpRequest, kind: SessionKind): Promise<McpSession | undefined> {
    const no = (status: number, why: string): undefined =>
      refuse(request.response, { status, why }) as undefined;
    const decision = await this.mayOpen(request.caller);
    if (decision === 'deny') return no(403, 'policy does not allow an MCP session');
    if (decision === 'unavailable') return no(503, 'the decision point is not available');
    const session = await this.sessions.open(request, kind);
    if (session === 'full') return no(503, 'too many sessions, and none of them idle');
    if (session === 'unavailable') return no(503, 'the session cannot be recorded now');
    return session;
  }
}

/** What `initialize` says, and the request as the session reads it; undefined, and answered, where it says nothing that holds. */
export function greetingOf(
  { response }: McpRequest,
  frame: ClientRequest,
): { readonly greeting: Greeting; readonly request: ClientRequest } | undefined {
  const greeting = readGreeting(frame.message['params']);
  if (greeting === undefined) {
    const why = {
      code: rpcCodes.invalidParams,
      message: 'initialize needs protocolVersion, capabilities and clientInfo',
    };
    refuse(response, { status: 400, why, id: frame.id });
    return undefined;
  }
  return { greeting, request: { ...frame, message: { ...frame.message, params: greeting.params } } };
}
