import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { McpEndpoint } from '../adapters/mcp/endpoint.js';
import { FRONTS, type Front, type Fronts } from '../domain/front/front.js';
import { AnyToken, NeedsScope } from '../http/access.js';
import { notAvailable, notFound } from '../http/refusal.js';
import { callerOf, pathParameter } from '../http/request.js';
import { SCOPE_CHECK, type ScopeCheck } from '../http/scope-refusal.js';

/** The MCP endpoints (DESIGN.md 12). Opening a session asks `listTools`, each call its own questions and the scope for calls. */
@Controller()
export class McpController {
  constructor(
    @Inject(McpEndpoint) private readonly endpoint: McpEndpoint,
    @Inject(FRONTS) private readonly fronts: Fronts,
    @Inject(SCOPE_CHECK) private readonly scopeCheck: ScopeCheck,
  ) {}

  @All('mcp')
  @AnyToken()
  @NeedsScope('tools:read')
  whole(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.serve(this.fronts.whole, request, reply);
  }

  @All('mcp/uar')
  @AnyToken()
  @NeedsScope('tools:read')
  runtime(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.serve(this.fronts.runtime, request, reply);
  }

  @All('mcp/servers/:server')
  @AnyToken()
  @NeedsScope('tools:read')
  ofUpstream(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.serve(this.fronts.ofUpstream(pathParameter(request, 'server')), request, reply);
  }

  private async serve(front: Front, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { method, headers, body, url } = request;
    const caller = callerOf(request);
    const visit = { headers, caller, front, pairSession: pairSessionOf(request) };
    const admission = await this.endpoint.admit(visit);
    if (admission.kind === 'absent') throw notFound('There is no such route.');
    if (admission.kind === 'unavailable') throw notAvailable();
    reply.hijack();
    await this.endpoint.serve({
      ...visit,
      method,
      body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
      response: reply.raw,
      session: admission.session,
      scopeRefusal: (needed) => this.scopeCheck({ principal: caller.principal, url, needed }),
    });
  }
}

/** How the transport of 2024-11-05 names a session. */
function pairSessionOf({ query }: FastifyRequest): string | undefined {
  const id: unknown =
    typeof query === 'object' && query !== null ? Reflect.get(query, 'sessionId') : undefined;
  return typeof id === 'string' ? id : undefined;
}
