import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { draft } from '../../contract-spec/samples.fixture.js';
import { HttpReceiver } from './http-receiver.js';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const listening = (listener: RequestListener): Promise<string> => urlOf(createServer(listener));

/** Says this to every request, byte for byte, and keeps the connection. */
function speaking(text: string): Promise<string> {
  const server = createServer();
  server.on('connection', (socket) => socket.once('data', () => socket.write(text)));
  return urlOf(server);
}

async function urlOf(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}/hook`;
}

const message = {
  deliveryId: `whk_${'a'.repeat(32)}`,
  event: 'approval.required',
  approvalStatus: 'pending',
  createdAt: 1_000,
  approval: { draft: draft(), status: 'pending', createdAt: 1_000, votes: [] },
} as const;

function send(url: string, deadlineMs = 5_000, signal = new AbortController().signal) {
  const secret = 's'.repeat(32);
  return new HttpReceiver({ url, secret, format: 'uar', now: () => 61_999, deadlineMs }).send(
    message,
    signal,
  );
}

describe('a receiver over HTTP', () => {
  it('is answered by status, with Retry-After where it says one', async () => {
    const url = await listening((_request, response) => {
      response.writeHead(503, { 'retry-after': '7' }).end('later');
    });
    expect(await send(url)).toEqual({ kind: 'answered', status: 503, retryAfter: '7' });
  });

  it('is not followed elsewhere', async () => {
    let elsewhere = 0;
    const target = await listening((_request, response) => {
      elsewhere += 1;
      response.end();
    });
    const url = await listening((_request, response) => {
      response.writeHead(307, { location: target }).end();
    });
    expect(await send(url)).toEqual({ kind: 'answered', status: 307 });
    expect(elsewhere).toBe(0);
  });

  it('that hangs has not answered once the deadline is over', async () => {
    const url = await listening(() => undefined);
    const before = performance.now();
    expect(await send(url, 200)).toEqual({ kind: 'failed', problem: 'no answer in time' });
    expect(performance.now() - before).toBeGreaterThan(150);
  });

  it('that drips its answer is held to the same deadline', async () => {
    const url = await listening((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 20);
      response.once('close', () => clearInterval(drip));
    });
    const before = performance.now();
    expect(await send(url, 300)).toEqual({ kind: 'answered', status: 200 });
    expect(performance.now() - before).toBeLessThan(3_000);
  });

  it.each([
    ['at once', ''],
    ['after a word on the way', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('that wants to speak another protocol has not answered (%s)', async (_, first) => {
    const url = await speaking(
      `${first}HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n`,
    );
    expect(await send(url)).toEqual({ kind: 'failed', problem: 'no answer (another protocol)' });
  });

  it('that says only that it will answer is held to the deadline', async () => {
    const url = await speaking('HTTP/1.1 103 Early Hints\r\n\r\n');
    expect(await send(url, 200)).toEqual({ kind: 'failed', problem: 'no answer in time' });
  });

  it('is read for 16 KB, and no further', async () => {
    let sent = 0;
    let closed = (): void => undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const url = await listening((_request, response) => {
      response.writeHead(200);
      response.once('close', closed);
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(8 * 1024))) sent += 8 * 1024;
      };
      response.on('drain', more);
      more();
    });
    expect(await send(url)).toEqual({ kind: 'answered', status: 200 });
    await gone;
    // What the buffers of two sockets hold, and not more and more.
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  it('that is not there is a failure with the word of the system, without the URL', async () => {
    const url = await listening(() => undefined);
    servers.splice(0).forEach((server) => server.close());
    expect(await send(url)).toEqual({ kind: 'failed', problem: 'no answer (ECONNREFUSED)' });
  });

  it('is left at once when the sender stops', async () => {
    const stop = new AbortController();
    const url = await listening(() => stop.abort());
    expect((await send(url, 5_000, stop.signal)).kind).toBe('failed');
  });
});
