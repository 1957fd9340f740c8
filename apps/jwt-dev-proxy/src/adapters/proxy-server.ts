import {
  Agent,
  createServer,
  type ClientRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import httpProxy from 'http-proxy';
import { formatEndpoint, type Endpoint } from '../domain/endpoint.js';
import { forwardedHeaders } from '../domain/forwarded-headers.js';
import { guard } from '../domain/guard.js';
import type { RequestHead } from '../domain/request-head.js';
import { answer, answerUpgrade, upstreamUnreachable } from './answers.js';
import { listenOnLoopback } from './loopback.js';
import type { TokenSource } from './token-source.js';

export interface ProxyServerOptions {
  /** Loopback address of the gateway. */
  readonly upstream: Endpoint;
  readonly tokens: TokenSource;
}

/** Forwards HTTP and WebSocket to one gateway, with a token of ours on everything that passes the guard. */
export class ProxyServer {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly server: Server;
  private readonly proxy: httpProxy;
  private readonly upgraded = new Set<Duplex>();
  private hosts: ReadonlySet<string> = new Set();

  constructor(private readonly options: ProxyServerOptions) {
    this.proxy = httpProxy.createProxyServer({
      target: `http://${formatEndpoint(options.upstream)}`,
      toProxy: true,
    });
    this.proxy.on('proxyReq', endWithClient);
    this.proxy.on('proxyRes', (from, _request, response) => {
      this.relay(from, response);
    });
    this.server = createServer((request, response) => {
      this.forward(request, response);
    });
    this.server.on('upgrade', (request, socket, head) => {
      this.forwardUpgrade(request, socket, head);
    });
  }

  /** Returns where it listens. */
  async listen(endpoint: Endpoint): Promise<Endpoint> {
    const bound = await listenOnLoopback(this.server, endpoint);
    this.hosts = authoritiesOf(bound);
    return bound;
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
    this.server.closeAllConnections();
    for (const socket of this.upgraded) socket.destroy();
    this.agent.destroy();
    await closed;
  }

  private forward(request: IncomingMessage, response: ServerResponse): void {
    const head = headOf(request, false);
    const refusal = guard(head, this.hosts);
    if (refusal !== undefined) {
      answer(response, refusal);
      return;
    }
    request.headers = this.headersFor(head);
    this.proxy.web(request, response, { agent: this.agent }, () => {
      answer(response, upstreamUnreachable);
    });
  }

  private forwardUpgrade(request: IncomingMessage, socket: Duplex, first: Buffer): void {
    socket.on('error', () => socket.destroy());
    const head = headOf(request, true);
    const refusal = guard(head, this.hosts);
    if (refusal !== undefined) {
      answerUpgrade(request, socket, refusal);
      return;
    }
    this.upgraded.add(socket);
    socket.once('close', () => this.upgraded.delete(socket));
    request.headers = this.headersFor(head);
    this.proxy.ws(request, socket, first, {}, () => {
      answerUpgrade(request, socket, upstreamUnreachable);
    });
  }

  private headersFor(head: RequestHead): Record<string, string> {
    return forwardedHeaders(head, {
      host: formatEndpoint(this.options.upstream),
      token: this.options.tokens.current(),
    });
  }

  /** Absolute locations of the gateway lead back through the proxy; a broken answer breaks ours too. */
  private relay(from: IncomingMessage, response: ServerResponse): void {
    const prefix = `http://${formatEndpoint(this.options.upstream)}/`;
    const { location } = from.headers;
    if (location?.startsWith(prefix) === true) from.headers.location = location.slice(prefix.length - 1);
    from.headers['cross-origin-resource-policy'] = 'same-origin';
    from.once('error', () => response.destroy());
    from.once('close', () => {
      if (!from.complete) response.destroy();
    });
  }
}

/** http-proxy watches the request only: a stream whose reader left would go on for ever. */
function endWithClient(toGateway: ClientRequest, _request: IncomingMessage, response: ServerResponse): void {
  response.once('close', () => {
    if (!response.writableFinished) toGateway.destroy();
  });
}

function headOf(request: IncomingMessage, upgrade: boolean): RequestHead {
  const { method = '', url = '', rawHeaders } = request;
  return { method, target: url, rawHeaders, upgrade };
}

/** What a Host header may say: the names of this machine with our port, which is left out for port 80. */
function authoritiesOf(bound: Endpoint): ReadonlySet<string> {
  const hosts = ['localhost', '127.0.0.1', '[::1]', formatEndpoint(bound).replace(/:\d+$/, '')];
  const withPort = hosts.map((host) => `${host}:${String(bound.port)}`);
  return new Set(bound.port === 80 ? [...withPort, ...hosts] : withPort);
}
