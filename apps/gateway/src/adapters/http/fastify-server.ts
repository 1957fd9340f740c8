import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { UarConfig } from '@uar/config';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from '../../http/answer.js';
import { doorRefusal } from '../../http/edge/door.js';
import type { Edge } from '../../http/edge/edge.js';
import { Refusal } from '../../http/refusal.js';
import { isPage } from '../../http/page-session.js';

const kibi = 1024;
/** Bounds on what a client may cost before a handler sees it (CASES O1). */
const longestHeaders = 16 * kibi;
const headersMs = 10_000;
const requestMs = 60_000;
const keepAliveMs = 75_000;
const longestPathPart = 512;
const longestForm = 16 * kibi;

/** Fastify under Nest: bodies stay bytes, and what a browser or a rebinding page sends is judged before any route. */
export function fastifyServer(config: UarConfig, edge: Edge): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: config.server.body_limit_kb * kibi,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    routerOptions: { maxParamLength: longestPathPart },
    ...transport(config),
    clientErrorHandler: (error, socket) => answerRawError(error.code, socket),
    frameworkErrors: (_error: unknown, _request: unknown, reply: FastifyReply) => {
      refuse(reply, new Refusal(400, 'bad_request', { message: 'The URL cannot be read.' }));
    },
    skipMiddie: true,
  });
  const instance = adapter.getInstance();
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  addFormParser(instance);
  instance.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const refusal = doorRefusal(edge, request.raw);
    if (refusal !== undefined) return refuse(reply, refusal);
    return crossOrigin(edge, request, reply);
  });
  return adapter;
}

/** Forms are what a page of anybody may send anywhere: they are read by our own pages alone. */
function addFormParser(instance: FastifyInstance): void {
  const type = 'application/x-www-form-urlencoded';
  instance.addContentTypeParser(
    type,
    { parseAs: 'buffer', bodyLimit: longestForm },
    (request, body, done) => {
      if (isPage(request.url)) return done(null, body);
      done(new Refusal(415, 'unsupported_media_type', { message: 'Send application/json.' }));
    },
  );
}

function transport({ server: { tls } }: UarConfig): object {
  const http = { maxHeaderSize: longestHeaders, headersTimeout: headersMs };
  if (tls === undefined) return { http };
  return { https: { ...http, cert: readFileSync(tls.cert_file), key: readFileSync(tls.key_file) } };
}

function crossOrigin(edge: Edge, request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  reply.raw.setHeader('x-content-type-options', 'nosniff');
  const { origin } = request.headers;
  if (origin === undefined || !edge.isCrossOrigin(origin)) return undefined;
  reply.raw.setHeader('access-control-allow-origin', origin);
  reply.raw.setHeader('vary', 'Origin');
  reply.raw.setHeader('access-control-expose-headers', 'Mcp-Session-Id, WWW-Authenticate, Location');
  if (request.method !== 'OPTIONS') return undefined;
  return reply
    .code(204)
    .headers({
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers':
        'Authorization, Content-Type, Accept, Prefer, Idempotency-Key, If-None-Match, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version',
      'access-control-max-age': '600',
    })
    .send();
}

function refuse(reply: FastifyReply, { status, code, message }: Refusal): FastifyReply {
  sendJson(reply, { error: { code, message } }, { status });
  return reply;
}

const rawAnswers: Readonly<Record<string, readonly [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'headers_too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'request_timeout'],
};

/** What is no HTTP request gets an answer in the shape of every other refusal, and the connection ends. */
function answerRawError(code: string | undefined, socket: Socket): void {
  if (!socket.writable || code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, text, name] = rawAnswers[code ?? ''] ?? [400, 'Bad Request', 'bad_request'];
  const body = JSON.stringify({ error: { code: name, message: 'The request cannot be read.' } });
  socket.end(
    `HTTP/1.1 ${status} ${text}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Methods that each path is served for, for 405 answers. Learned while Nest registers its routes. */
export class ServedMethods {
  private readonly served: { readonly pattern: RegExp; readonly methods: Set<string> }[] = [];

  constructor(instance: FastifyInstance) {
    const byPath = new Map<string, Set<string>>();
    instance.addHook('onRoute', ({ method, url }) => {
      let methods = byPath.get(url);
      if (methods === undefined) {
        methods = new Set();
        byPath.set(url, methods);
        const escaped = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
        const pattern = new RegExp(`^${escaped.replace(/\*/g, '.*').replace(/:\w+/g, '[^/]+')}$`);
        this.served.push({ pattern, methods });
      }
      for (const one of [method].flat()) methods.add(one);
    });
  }

  of(path: string): readonly string[] {
    return [...(this.served.find(({ pattern }) => pattern.test(path))?.methods ?? [])];
  }
}
