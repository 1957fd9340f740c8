import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { McpEndpoint } from '../adapters/mcp/endpoint.js';
import { AnyToken } from '../http/access.js';
import { callerOf } from '../http/request.js';

/** `/mcp`: the caller's whole effective catalog over streamable HTTP. Opening a session asks `listTools`, each call its own questions. */
@Controller()
export class McpController {
  constructor(@Inject(McpEndpoint) private readonly endpoint: McpEndpoint) {}

  @All('mcp')
  @AnyToken()
  async serve(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    reply.hijack();
    const { method, headers, body } = request;
    await this.endpoint.serve({
      method,
      headers,
      body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
      response: reply.raw,
      caller: callerOf(request),
    });
  }
}
