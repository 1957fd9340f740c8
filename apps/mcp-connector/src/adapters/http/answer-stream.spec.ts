import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAnswerStream, type AnswerStream } from './answer-stream.js';

type Script = (response: ServerResponse) => void;

const events =
  (text: string): Script =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
const status =
  (code: number): Script =>
  (response) =>
    void response.writeHead(code).end();

describe('the stream of an answer (MCP 2025-11-25, resumability)', () => {
  let scripts: Script[];
  let asked: { readonly id: string | undefined; readonly at: number }[];
  const server = createServer((request, response) => {
    asked.push({ id: request.headers['last-event-id']?.toString(), at: performance.now() });
    const script = scripts.shift();
    if (script === undefined) response.destroy();
    else script(response);
  });
  beforeEach(async () => {
    asked = [];
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const open = (headers: Record<string, string>): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      get({ port, host: '127.0.0.1', headers, agent: false }, resolve).on('error', reject);
    });

  async function read(script: readonly Script[], options: Partial<AnswerStream> = {}) {
    scripts = [...script];
    const data: string[] = [];
    const problem = await readAnswerStream(await open({}), {
      maxBytes: 1_000,
      onData: (text) => data.push(text),
      isAnswered: () => data.includes('answer'),
      reopen: (id) => open({ 'last-event-id': id }),
      signal: new AbortController().signal,
      ...options,
    });
    return { data, problem, ids: asked.map(({ id }) => id) };
  }

  it('goes on behind the last event, after the time that the upstream named', async () => {
    const { data, ids } = await read([
      events('id: a\nretry: 150\ndata:\n\n'),
      events('id: b\ndata: news\n\ndata: unfinished'),
      events('data: answer\n\n'),
    ]);
    expect(data).toEqual(['news', 'answer']);
    expect(ids).toEqual([undefined, 'a', 'b']);
    const [first, second] = asked;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(145);
  });

  it('asks for nothing more where no event had an id, or none that a header can carry', async () => {
    expect((await read([events('data: news\n\n')])).ids.length).toBe(1);
    expect((await read([events(`id: ${'x'.repeat(1_025)}\ndata: news\n\n`)])).ids.length).toBe(2);
    expect((await read([events('id: a\ndata: 1\n\nid\ndata: 2\n\n')])).ids.length).toBe(3);
    const { problem } = await read([events(': nothing\n\n')]);
    expect(problem).toMatchObject({ kind: 'transport_failure' });
  });

  it('carries an id as UTF-8', async () => {
    const { ids } = await read([events('id: é名\nretry: 0\ndata:\n\n'), events('data: answer\n\n')]);
    expect(Buffer.from(ids[1] ?? '', 'latin1').toString()).toBe('é名');
  });

  it('gives up where the upstream refuses, and after some connections that break', async () => {
    const first = events('id: a\nretry: 0\ndata:\n\n');
    expect((await read([first, status(405)])).ids.length).toBe(2);
    asked = [];
    const { ids, problem } = await read([first, status(503)]);
    expect(ids.length).toBe(5);
    expect(problem).toMatchObject({ kind: 'transport_failure' });
  });

  it('waits no longer once the answer came elsewhere or nobody wants it', async () => {
    const first = events('id: a\nretry: 100\ndata:\n\n');
    expect((await read([first], { isAnswered: () => true })).ids.length).toBe(1);
    asked = [];
    const abort = new AbortController();
    const reading = read([events('id: a\nretry: 99999999\ndata:\n\n')], { signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    expect((await reading).ids.length).toBe(1);
  });

  it('keeps its bound on a stream that is gone on with', async () => {
    const { problem } = await read([
      events('id: a\nretry: 0\ndata:\n\n'),
      events(`data: ${'x'.repeat(2_000)}\n\n`),
    ]);
    expect(problem).toMatchObject({ kind: 'result_too_large' });
  });
});
