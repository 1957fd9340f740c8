import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface HttpCall {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly message: { id?: number; method?: string; params?: { name?: string; arguments?: object } };
  readonly text: string;
}

export type Reply = (call: HttpCall, response: ServerResponse) => void;

/** A streamable HTTP upstream on a free loopback port, written by hand so that it can misbehave. */
export class HttpUpstream {
  readonly calls: HttpCall[] = [];
  /** Answers of tools by name. */
  readonly tools = new Map<string, Reply>();
  /** Runs before everything else; true: it has answered. */
  intercept: (call: HttpCall, response: ServerResponse) => boolean = () => false;
  session: string | undefined = 'session-1';
  private readonly streams = new Set<ServerResponse>();
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    server.on('request', (request, response) => void this.handle(request, response));
  }

  static async start(port = 0): Promise<HttpUpstream> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return new HttpUpstream(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  /** To everybody with an open GET stream. */
  notify(message: object): void {
    for (const stream of this.streams) stream.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  get streamCount(): number {
    return this.streams.size;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const message = text === '' ? {} : (JSON.parse(text) as HttpCall['message']);
    const call = { method: request.method ?? '', headers: request.headers, message, text };
    this.calls.push(call);
    if (this.intercept(call, response)) return;
    const known = call.headers['mcp-session-id'] === this.session || message.method === 'initialize';
    if (!known) return void response.writeHead(404).end();
    if (call.method === 'GET') return this.stream(response);
    if (call.method === 'DELETE') return void response.writeHead(200).end();
    if (message.id === undefined) return void response.writeHead(202).end();
    this.answer(call, response);
  }

  private stream(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
    this.streams.add(response);
    response.on('close', () => this.streams.delete(response));
  }

  private answer(call: HttpCall, response: ServerResponse): void {
    const { method, params } = call.message;
    if (method === 'initialize') {
      if (this.session !== undefined) response.setHeader('mcp-session-id', this.session);
      const protocolVersion = (params as { protocolVersion?: string } | undefined)?.protocolVersion;
      const capabilities = { tools: { listChanged: true } };
      json(
        call,
        response,
        JSON.stringify({ protocolVersion, capabilities, serverInfo: { name: 'h', version: '1' } }),
      );
    } else if (method === 'tools/list') {
      const tools = [...this.tools.keys()].map((name) => ({ name, inputSchema: { type: 'object' } }));
      json(call, response, JSON.stringify({ tools }));
    } else if (method === 'tools/call') this.tools.get(params?.name ?? '')?.(call, response);
    else json(call, response, '{}');
  }
}

export function json(call: HttpCall, response: ServerResponse, result: string): void {
  response.setHeader('content-type', 'application/json');
  response.end(`{"jsonrpc":"2.0","id":${call.message.id},"result":${result}}`);
}

export function sse(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' });
}
