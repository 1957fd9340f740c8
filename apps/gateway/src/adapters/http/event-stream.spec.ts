import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EventStream } from './event-stream.js';
import { eventText } from './event-text.js';

describe('EventStream', () => {
  let server: Server;
  beforeEach(async () => {
    server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function asked(): Promise<{
    response: ServerResponse;
    answer: Promise<IncomingMessage>;
    leave(): void;
  }> {
    const { port } = server.address() as AddressInfo;
    const sent = request({ port, host: '127.0.0.1', agent: false });
    const answer = new Promise<IncomingMessage>((resolve) =>
      sent.on('response', resolve).on('error', () => undefined),
    );
    sent.end();
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
    return { response, answer, leave: () => sent.destroy() };
  }

  async function textOf(answer: Promise<IncomingMessage>): Promise<string> {
    let text = '';
    for await (const chunk of (await answer).setEncoding('utf8')) text += String(chunk);
    return text;
  }

  it('tells at once that a client is gone that left before it was made', async () => {
    const { response, leave } = await asked();
    leave();
    await once(response, 'close');
    const stream = new EventStream(response, {});
    let told = 0;
    stream.onClose(() => (told += 1));
    stream.write(eventText({ data: 'x' }));
    expect([told, stream.open]).toEqual([1, false]);
  });

  it('sends a quick answer in one piece of known length', async () => {
    const { response, answer } = await asked();
    const text = 'id: 1.2\nevent: message\ndata: a\ndata: b\n\n';
    new EventStream(response, { 'x-own': 'y' }).finish(
      eventText({ data: 'a\nb', name: 'message', id: '1.2' }),
    );
    expect((await answer).headers).toMatchObject({
      'content-type': 'text/event-stream',
      'content-length': String(text.length),
      'x-own': 'y',
    });
    expect(await textOf(answer)).toBe(text);
  });

  it('closes the connection of whoever leaves more than a MiB unread, not that of one long answer', async () => {
    const megabytes = 'x'.repeat(8 * 1024 * 1024);
    const long = await asked();
    new EventStream(long.response, {}).finish(eventText({ data: megabytes }));
    expect((await textOf(long.answer)).length).toBeGreaterThan(megabytes.length);
    const { response, answer } = await asked();
    const stream = new EventStream(response, {});
    stream.write(eventText({ data: megabytes }));
    (await answer).pause();
    const closed = once(response, 'close');
    for (let written = 0; written < 20 && stream.open; written += 1)
      stream.write(eventText({ data: megabytes }));
    await closed;
    expect(stream.open).toBe(false);
  });
});
