import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An upstream and its authorization server under one address, which answer what a test lays down. */
export class AuthorizationServer {
  readonly asked: Asked[] = [];
  /** By path; what is not there is 404. */
  readonly answers = new Map<string, (asked: Asked) => Answer>();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const path = request.url ?? '';
        const body = Buffer.concat(chunks).toString();
        const asked = { method: request.method ?? '', path, headers: request.headers, body };
        this.asked.push(asked);
        const {
          status = 200,
          headers = {},
          body: answer = '',
        } = this.answers.get(path)?.(asked) ?? { status: 404 };
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
      });
    });
  }

  static async start(): Promise<AuthorizationServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const started = new AuthorizationServer(server);
    started.describe({});
    started.answers.set('/token', () => ({ body: { access_token: 'at', token_type: 'Bearer' } }));
    started.answers.set('/register', () => ({
      status: 201,
      body: { client_id: 'registered', redirect_uris: [] },
    }));
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Publishes metadata of the resource and of the issuer, with these members besides the usual ones. */
  describe(issuer: object, resource: object = {}): void {
    const { url } = this;
    this.answers.set('/.well-known/oauth-protected-resource/mcp', () => ({
      body: { resource: `${url}/mcp`, authorization_servers: [url], ...resource },
    }));
    this.answers.set('/.well-known/oauth-authorization-server', () => ({
      body: {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        registration_endpoint: `${url}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        ...issuer,
      },
    }));
  }

  /** The form that the last token request carried. */
  get lastForm(): Record<string, string> {
    const request = this.asked.findLast(({ path }) => path === '/token');
    return Object.fromEntries(new URLSearchParams(request?.body));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
