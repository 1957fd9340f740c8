import type { SessionPair } from './http/session-pair.js';
import type { StreamableHttp } from './http/streamable-http.js';
import { refuse } from './http/refuse.js';
import type { McpRequest, McpVisit } from './http/request.js';
import { isRevision, supportedRevisions } from './revisions.js';
import { rpcCodes } from './rpc-codes.js';
import type { McpSession } from './session/session.js';
import type { SessionStore } from './session/session-store.js';
import { isStateless } from './stateless/era.js';
import type { StatelessHttp } from './stateless/stateless-http.js';

export type Admission =
  /** With the session that it names; undefined: none of this caller at this front. */
  | { readonly kind: 'admitted'; readonly session: McpSession | undefined }
  /** This caller must not learn that the front exists. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'unavailable' };

export interface EndpointParts {
  readonly sessions: SessionStore;
  readonly streamable: StreamableHttp;
  readonly pair: SessionPair;
  readonly stateless: StatelessHttp;
}

/**
 * Every front, at one URL over all revisions: 2026-07-28, and those with sessions, which are streamable HTTP and the pair of
 * 2024-11-05.
 */
export class McpEndpoint {
  constructor(private readonly parts: EndpointParts) {}

  /** A caller with a session has been at the front: it is asked for no more than that. */
  async admit(visit: McpVisit): Promise<Admission> {
    const session = this.find(visit);
    if (session !== undefined) return { kind: 'admitted', session };
    const presence = await visit.front.presence(visit.caller);
    return presence === 'there' ? { kind: 'admitted', session } : { kind: presence };
  }

  async serve(request: McpRequest): Promise<void> {
    if (isStateless(request)) return this.parts.stateless.serve(request);
    const { method, headers, response, pairSession } = request;
    const revision = headers['mcp-protocol-version'];
    if (revision !== undefined && !isRevision(revision)) {
      const data = { supported: supportedRevisions, requested: revision };
      const why = { code: rpcCodes.refused, message: 'this protocol version is not supported', data };
      return refuse(response, { status: 400, why });
    }
    // Only clients of 2024-11-05 come without a session and without a version to listen.
    const isOfPair =
      headers['mcp-session-id'] === undefined && (pairSession !== undefined || revision === undefined);
    if (method === 'GET')
      return isOfPair ? this.parts.pair.open(request) : this.parts.streamable.listen(request);
    if (method === 'POST')
      return pairSession === undefined || !isOfPair
        ? this.parts.streamable.post(request)
        : this.parts.pair.post(request);
    if (method === 'DELETE') return this.parts.streamable.end(request);
    response.setHeader('allow', 'GET, POST, DELETE');
    refuse(response, { status: 405, why: 'method not allowed' });
  }

  private find(visit: McpVisit): McpSession | undefined {
    const { sessions } = this.parts;
    const id = visit.headers['mcp-session-id'];
    if (typeof id === 'string') return sessions.find(id, visit, 'streamable');
    return visit.pairSession === undefined ? undefined : sessions.find(visit.pairSession, visit, 'pair');
  }
}
