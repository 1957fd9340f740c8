import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

export interface Gateway {
  readonly endpoint: string;
  readonly seen: IncomingMessage[];
  answer(listener: RequestListener): void;
  close(): Promise<void>;
}

/** An HTTP and WebSocket server on a free loopback port that keeps what it is sent. WebSockets echo. */
export async function startGateway(): Promise<Gateway> {
  const seen: IncomingMessage[] = [];
  let current: RequestListener = (request, response) => {
    request.pipe(response);
  };
  const server = createServer((request, response) => {
    seen.push(request);
    current(request, response);
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, request) => {
    seen.push(request);
    socket.on('message', (message, isBinary) => {
      socket.send(message, { binary: isBinary });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `127.0.0.1:${String(port)}`,
    seen,
    answer(listener) {
      current = listener;
    },
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends these very bytes and gives all that comes back until the other end closes. */
export function rawExchange(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => {
      received += part;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(received);
    });
  });
}
