import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Metrics } from '@uar/telemetry';
import type { GatewayReadiness } from '../../domain/readiness.js';

export interface Management {
  readonly url: string;
  close(): Promise<void>;
}

export interface ManagementOptions {
  readonly host: string;
  readonly port: number;
  readonly metrics: Metrics;
  readonly readiness: GatewayReadiness;
}

/** Metrics and probes, on a listener of their own that no client of the API reaches. */
export async function listenForManagement(options: ManagementOptions): Promise<Management> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405, {});
    void answer(options, request.url?.split('?')[0], response);
  });
  server.requestTimeout = 5_000;
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return { url: urlOf(server, options.host), close: () => closed(server) };
}

async function answer(
  { metrics, readiness }: ManagementOptions,
  path: string | undefined,
  response: ServerResponse,
): Promise<void> {
  if (path === '/healthz') return end(response, 200, { status: 'ok' });
  if (path === '/readyz') {
    const { ready, governance, problems } = await readiness.view();
    const details = problems.map(({ detail }) => detail);
    return end(response, ready ? 200 : 503, { ready, governance, problems: details });
  }
  if (path !== '/metrics')
    return end(response, 404, { error: { code: 'not_found', message: 'There is no such route.' } });
  response.writeHead(200, { 'content-type': metrics.contentType });
  response.end(await metrics.text());
}

function end(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

function urlOf(server: Server, host: string): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the management listener has no port');
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
