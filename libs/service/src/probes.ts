import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Readiness, RunningService } from './service.js';

export interface ProbeListener {
  readonly port: number;
  close(): Promise<void>;
}

export interface ProbeOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Undefined until the service has started, and again while it stops. */
  service(): RunningService | undefined;
}

/** `GET /healthz`: the process lives. `GET /readyz`: 200 or 503 with `{ ready, problems }`. Nothing else. */
export async function listenForProbes(options: ProbeOptions): Promise<ProbeListener> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405, {});
    if (request.url === '/healthz') return end(response, 200, { status: 'ok' });
    if (request.url !== '/readyz') return end(response, 404, {});
    void readinessOf(options.service()).then((readiness) =>
      end(response, readiness.ready ? 200 : 503, readiness),
    );
  });
  server.requestTimeout = 5_000;
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return { port: portOf(server), close: () => closed(server) };
}

async function readinessOf(service: RunningService | undefined): Promise<Readiness> {
  if (service === undefined) return { ready: false, problems: ['not running'] };
  try {
    return await service.readiness();
  } catch {
    return { ready: false, problems: ['readiness cannot be told'] };
  }
}

function end(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the probe listener has no port');
  return address.port;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
