import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GuardRefusal } from '../domain/guard.js';

export interface Answer extends GuardRefusal {
  readonly details?: unknown;
}

export const upstreamUnreachable: Answer = {
  status: 502,
  code: 'unavailable',
  message: 'The gateway does not answer.',
  details: { hint: 'Start it with `npm start`, or name it with --upstream.' },
};

function bodyOf({ code, message, details }: Answer): string {
  return JSON.stringify({ error: { code, message, ...(details === undefined ? {} : { details }) } });
}

/** Answers with the error body of the house and ends the connection: its further bytes may be a body nobody reads. */
export function answer(response: ServerResponse, said: Answer): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  response.writeHead(said.status, { ...headers, connection: 'close' }).end(bodyOf(said));
}

/** The same on a socket that asked for an upgrade. */
export function answerUpgrade(request: IncomingMessage, socket: Duplex, said: Answer): void {
  if (socket.destroyed || !socket.writable) return;
  const body = bodyOf(said);
  const lines = Object.entries({
    ...headers,
    connection: 'close',
    'content-length': Buffer.byteLength(body),
  });
  const head = lines.map(([name, value]) => `${name}: ${String(value)}\r\n`).join('');
  const reason = STATUS_CODES[said.status] ?? '';
  socket.end(`HTTP/${request.httpVersion} ${String(said.status)} ${reason}\r\n${head}\r\n${body}`);
}

const headers = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
};
