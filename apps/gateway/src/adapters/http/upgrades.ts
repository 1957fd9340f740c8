import type { IncomingMessage, Server } from 'node:http';
import { Server as TlsServer } from 'node:tls';
import type { Duplex } from 'node:stream';

export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

const upgradeHeaders = new Set(['upgrade', 'connection', 'http2-settings']);

/**
 * Takes WebSocket upgrades (RFC 6455) that `takes` says are ours. Every other request goes on as the plain HTTP request it is
 * beside: clients that offer h2c with each request (the one of Java does) are served as before.
 */
export function takeUpgrades(
  server: Server,
  { takes, take }: { takes(request: IncomingMessage): boolean; take(upgrade: Upgrade): void },
): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isWebSocket(request) && takes(request)) take({ request, socket, head });
    else goOn(server, { request, socket, head });
  });
}

function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Gives the connection back to the server as if the request had come without the offer (RFC 9110 7.8 lets it be ignored). */
function goOn(server: Server, { request, socket, head }: Upgrade): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method ?? 'GET'} ${url ?? '/'} HTTP/${httpVersion}`];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    if (!upgradeHeaders.has((rawHeaders[index] ?? '').toLowerCase()))
      lines.push(`${rawHeaders[index] ?? ''}: ${rawHeaders[index + 1] ?? ''}`);
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit(server instanceof TlsServer ? 'secureConnection' : 'connection', socket);
}
