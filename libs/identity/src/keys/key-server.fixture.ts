import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KeyServer {
  readonly url: string;
  readonly requests: readonly string[];
  /** What it answers from now on. */
  answer(listener: RequestListener): void;
  close(): Promise<void>;
}

export function keysAnswer(keys: readonly unknown[]): RequestListener {
  return (_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }));
  };
}

/** An HTTP key server on a free loopback port. */
export async function startKeyServer(listener: RequestListener): Promise<KeyServer> {
  let current = listener;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    current(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/keys`,
    requests,
    answer(next) {
      current = next;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
}
