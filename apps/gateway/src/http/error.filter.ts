import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { ErrorBody } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from './answer.js';
import { isPage } from './page-session.js';
import { Refusal, methodNotAllowed, unauthorized } from './refusal.js';

/** What Fastify refuses before a handler; Nest leaves only the status of it. */
const refusedBefore: Readonly<Record<number, Refusal>> = {
  400: new Refusal(400, 'bad_request', { message: 'The request cannot be read.' }),
  413: new Refusal(413, 'body_too_large', { message: 'The body is longer than allowed.' }),
  414: new Refusal(414, 'bad_request', { message: 'A part of the URL is too long.' }),
  415: new Refusal(415, 'unsupported_media_type', { message: 'Send application/json.' }),
};

/** What a client may still send of a body that was refused: read and dropped, so that it gets to see the refusal. */
const mostDroppedBytes = 64 * 1024 * 1024;

/** Everything that goes wrong at the edge becomes the one error shape, or a page where a browser asks for pages; a bug shows its fault id and nothing else. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly options: {
      /** Methods a path is served for; empty for unknown paths. */
      methodsOf(path: string): readonly string[];
      /** Logs once and names the line. */
      fault(error: unknown): string;
      /** Answers a browser. */
      sendPage(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): void;
    },
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    if (reply.sent || reply.raw.headersSent) {
      if (!(thrown instanceof Refusal)) this.options.fault(thrown);
      reply.raw.destroy();
      return;
    }
    const refusal = this.refusalOf(thrown, request);
    const { status, code, message, details, headers } = refusal;
    if (status === 413) dropRest(request, reply);
    if (isPage(request.url)) return this.options.sendPage(request, reply, refusal);
    const error: ErrorBody['error'] = { code, message };
    if (details !== undefined) error.details = details;
    sendJson(reply, { error }, { status, headers });
  }

  private refusalOf(thrown: unknown, request: FastifyRequest): Refusal {
    if (thrown instanceof Refusal) return thrown;
    const status = thrown instanceof HttpException ? thrown.getStatus() : 500;
    if (status === 404) {
      return request.headers.authorization === undefined ? unauthorized(false) : this.unknownRoute(request);
    }
    const known = refusedBefore[status];
    if (known !== undefined) return known;
    const faultId = this.options.fault(thrown);
    const details = { fault_id: faultId };
    return new Refusal(500, 'internal_fault', { message: 'Something in the tool plane broke.', details });
  }

  private unknownRoute(request: FastifyRequest): Refusal {
    const methods = this.options.methodsOf(request.url.split('?')[0] ?? '');
    if (methods.length === 0) return new Refusal(404, 'not_found', { message: 'There is no such route.' });
    return methodNotAllowed(methods);
  }
}

/** Fastify would close the connection while the client still sends, and the refusal would be lost with it. */
function dropRest({ raw }: FastifyRequest, reply: FastifyReply): void {
  reply.removeHeader('connection');
  let left = mostDroppedBytes;
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) raw.destroy();
  });
}
