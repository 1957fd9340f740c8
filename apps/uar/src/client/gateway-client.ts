import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';

export interface ApiRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly path: string;
  /** JSON text, sent as it is. */
  readonly body?: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly location: string | undefined;
  readonly text: string;
}

export type ApiReply =
  ({ readonly kind: 'answered' } & ApiAnswer) | { readonly kind: 'unreachable'; readonly message: string };

/** The gateway's HTTP API at one base URL. Redirects are not followed, so the token goes nowhere else. */
export interface GatewayClient {
  readonly url: string;
  send(request: ApiRequest): Promise<ApiReply>;
  /** Body in pieces, for what need not fit into memory; resolves with the status. */
  stream(request: ApiRequest, onChunk: (chunk: Buffer) => void): Promise<ApiReply>;
}

export function createGatewayClient(options: { url: string; token?: string }): GatewayClient {
  return {
    url: options.url,
    async send(request) {
      const chunks: Buffer[] = [];
      const reply = await exchange(options, request, (chunk) => chunks.push(chunk));
      return reply.kind === 'answered' ? { ...reply, text: Buffer.concat(chunks).toString('utf8') } : reply;
    },
    async stream(request, onChunk) {
      const refused: Buffer[] = [];
      const reply = await exchange(options, request, (chunk, status) =>
        status === 200 ? onChunk(chunk) : refused.push(chunk),
      );
      return reply.kind === 'answered' ? { ...reply, text: Buffer.concat(refused).toString('utf8') } : reply;
    },
  };
}

function exchange(
  target: { url: string; token?: string },
  request: ApiRequest,
  onChunk: (chunk: Buffer, status: number) => void,
): Promise<ApiReply> {
  const url = new URL(request.path, target.url);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const failed = (error: Error) => resolve({ kind: 'unreachable', message: reasonOf(error) });
    const outgoing = send(url, { method: request.method, headers: headersOf(target.token, request.body) });
    outgoing.on('error', failed);
    outgoing.on('response', (incoming: IncomingMessage) => {
      const status = incoming.statusCode ?? 0;
      incoming.on('data', (chunk: Buffer) => onChunk(chunk, status));
      incoming.on('error', failed);
      incoming.on('end', () =>
        resolve({ kind: 'answered', status, location: incoming.headers.location, text: '' }),
      );
    });
    outgoing.end(request.body);
  });
}

function headersOf(token: string | undefined, body: string | undefined): Record<string, string> {
  return {
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
  };
}

function reasonOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
