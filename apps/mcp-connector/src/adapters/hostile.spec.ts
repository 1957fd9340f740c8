import { PassThrough } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Child } from '@uar/sandbox';
import { describe, expect, it } from 'vitest';
import { HttpUpstream, sse } from '../http-server.fixture.js';
import { decodeFrame } from './frames/frame.js';
import { SseReader } from './frames/sse-reader.js';
import { addressRules } from './http/address-rules.js';
import { HttpTransport } from './http/http-transport.js';
import { httpTarget } from './http/post.js';
import { McpUpstream } from './mcp-upstream.js';
import { ProgressTap } from './progress-tap.js';
import { StdioTransport } from './stdio-transport.js';

const arrays = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const parsed = (text: string): JSONRPCMessage => JSON.parse(text) as JSONRPCMessage;

function elapsedMs(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

/** A child that is played by two pipes; its stdin is read by nobody. */
function fakeChild(): Child & { readonly stdin: PassThrough; readonly stdout: PassThrough } {
  return {
    pid: 0,
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    exited: new Promise<never>(() => undefined),
    stderrTail: () => '',
    stop: () => Promise.resolve(),
  } as unknown as Child & { readonly stdin: PassThrough; readonly stdout: PassThrough };
}

/** A transport whose upstream is the test. `send` is answered by `sent`. */
function fakeTransport(sent: (message: JSONRPCMessage) => Promise<void>): Transport {
  return { start: () => Promise.resolve(), close: () => Promise.resolve(), send: sent };
}

const nobody = { capabilities: {}, onNotice: () => undefined };
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('decodeFrame, of a hostile frame', () => {
  it('takes nested arrays for noise, in linear time', () => {
    for (const depth of [2, 4_000, 1_000_000])
      expect(elapsedMs(() => expect(decodeFrame(arrays(depth), 'raw')).toBeUndefined())).toBeLessThan(1_000);
    expect(decodeFrame('[[{"id":1,"result":{}}]]', 'raw')).toBeUndefined();
  });

  it('cuts a deep result, and answers for one that is deeper than anybody needs', () => {
    const answer = (depth: number): unknown =>
      decodeFrame(`{"id":7,"result":{"a":${arrays(depth)}}}`, 'raw')?.[0];
    expect(answer(300)).toMatchObject({ id: 7, result: { text: `{"a":${arrays(300)}}` } });
    for (const depth of [4_000, 1_000_000])
      expect(answer(depth)).toMatchObject({
        id: 7,
        error: { data: { problem: { kind: 'upstream_error', message: /nested too deeply/ } } },
      });
  });

  it('takes a deep notification or request for noise', () => {
    for (const head of ['', '"id":1,'])
      expect(decodeFrame(`{${head}"method":"x","params":{"a":${arrays(4_000)}}}`, 'raw')).toBeUndefined();
  });
});

describe('SseReader, of a hostile body', () => {
  it('reads carriage returns in linear time', () => {
    const reader = new SseReader({ maxBytes: 1e6, onData: () => undefined, onTooLong: () => undefined });
    const chunk = Buffer.alloc(1_000_000, '\r');
    expect(elapsedMs(() => reader.read(chunk))).toBeLessThan(2_000);
  });
});

describe('ProgressTap, of a hostile upstream', () => {
  it('leaves out progress that is too deep or too large, and never throws', async () => {
    const inner = fakeTransport(() => Promise.resolve());
    const tap = new ProgressTap(inner, { onToolsChanged: () => undefined, client: nobody });
    const seen: string[] = [];
    const progressToken = tap.listen((paramsJson) => seen.push(paramsJson));
    await tap.start();
    for (const extra of ['1', arrays(40), arrays(20_000), `"${'é'.repeat(10_000)}"`])
      inner.onmessage?.(
        parsed(
          `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${progressToken},"a":${extra}}}`,
        ),
      );
    expect(seen).toEqual(['{"a":1}']);
  });
});

describe('a flood from an upstream', () => {
  const open = async (
    sent: (message: JSONRPCMessage) => Promise<void>,
  ): Promise<{ say: (text: string) => void; changes: () => number; upstream: McpUpstream }> => {
    let changes = 0;
    const inner = fakeTransport(async (message) => {
      if (!('method' in message)) return await sent(message);
      if (message.method !== 'initialize' || !('id' in message)) return;
      const { id } = message;
      queueMicrotask(() =>
        inner.onmessage?.({
          jsonrpc: '2.0',
          id,
          result: {
            protocolVersion: '2025-06-18',
            capabilities: {},
            serverInfo: { name: 'x', version: '1' },
          },
        }),
      );
    });
    const upstream = new McpUpstream({
      transport: inner,
      scrub: (text) => text,
      hideSecrets: (text) => text,
      scrubJson: (text) => text,
      explainLoss: () => Promise.resolve(''),
      client: nobody,
      onToolsChanged: () => (changes += 1),
      onUnreachable: () => undefined,
    });
    await upstream.initialize(new AbortController().signal);
    return { say: (text) => inner.onmessage?.(parsed(text)), changes: () => changes, upstream };
  };

  it('of own requests gets 64 answers at a time, and more once those are taken', async () => {
    const taken: (() => void)[] = [];
    const { say, upstream } = await open(() => new Promise<void>((resolve) => taken.push(resolve)));
    const flood = async (method: string): Promise<void> => {
      for (let id = 0; id < 20_000; id += 1) {
        say(`{"jsonrpc":"2.0","id":${id % 3 === 0 ? 0 : id},"method":"${method}","params":{}}`);
        say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`);
      }
      await tick();
    };
    await flood('sampling/createMessage');
    expect(taken.length).toBe(64);
    expect(upstream.ignoredRequests).toBe(19_936);
    for (const resolve of taken.splice(0)) resolve();
    await tick();
    await flood('ping');
    expect(taken.length).toBe(64);
  });

  it('of malformed requests leaves room for the others', async () => {
    let answers = 0;
    const { say } = await open(() => Promise.resolve(void (answers += 1)));
    for (let id = 0; id < 100; id += 1) say(`{"jsonrpc":"2.0","id":${id},"method":"ping","params":[]}`);
    say(`{"jsonrpc":"2.0","id":"${'x'.repeat(1_000)}","method":"ping"}`);
    await tick();
    expect(answers).toBe(0);
    say('{"jsonrpc":"2.0","id":"a","method":"ping"}');
    await tick();
    expect(answers).toBe(1);
  });

  it('of list changes is told at once, without a queue', async () => {
    const { say, changes } = await open(() => Promise.resolve());
    const text = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
    expect(
      elapsedMs(() => {
        for (let count = 0; count < 100_000; count += 1) say(text);
      }),
    ).toBeLessThan(2_000);
    expect(changes()).toBe(100_000);
  });
});

describe('StdioTransport, of a hostile child', () => {
  it('lives on when a handler throws, counts it, and tells it once', async () => {
    const child = fakeChild();
    const faults: unknown[] = [];
    const transport = new StdioTransport({
      child,
      maxFrameBytes: 100_000,
      stopGraceMs: 1,
      onFault: (error) => faults.push(error),
    });
    let heard = 0;
    transport.onmessage = () => {
      heard += 1;
      if (heard < 4) throw new RangeError('Maximum call stack size exceeded');
    };
    await transport.start();
    const good = '{"jsonrpc":"2.0","method":"x"}';
    child.stdout.write(`${arrays(4_000)}\n[${good},${good}]\n${good}\n${good}\n`);
    await tick();
    expect([heard, transport.noiseLines, faults.length]).toEqual([4, 4, 1]);
  });

  it('settles the sending of an answer when the pipe took it', async () => {
    const child = fakeChild();
    const transport = new StdioTransport({ child, maxFrameBytes: 1_000, stopGraceMs: 1 });
    await transport.start();
    let settled = 0;
    const result = { text: 'x'.repeat(100_000) };
    for (let id = 0; id < 3; id += 1)
      void transport.send({ jsonrpc: '2.0', id, result }).then(() => (settled += 1));
    await tick();
    expect(settled).toBeLessThan(3);
    child.stdin.resume();
    await tick();
    await tick();
    expect(settled).toBe(3);
  });
});

describe('HttpTransport, of a hostile upstream', () => {
  it('lives on when a body is a bomb or a handler throws, and answers every call', async () => {
    const upstream = await HttpUpstream.start();
    upstream.session = undefined;
    const bomb = arrays(4_000);
    upstream.tools.set('json', (_, response) =>
      response.setHeader('content-type', 'application/json').end(bomb),
    );
    upstream.tools.set('sse', (call, response) => {
      const answer = `{"jsonrpc":"2.0","id":${call.message.id},"result":{}}`;
      sse(response).end(`${'\r'.repeat(50_000)}data: ${bomb}\n\ndata: {"method":"x"}\n\ndata: ${answer}\n\n`);
    });
    const faults: unknown[] = [];
    const transport = new HttpTransport({
      target: httpTarget(new URL(upstream.url), addressRules(['127.0.0.0/8']).lookup),
      headers: {},
      maxFrameBytes: 100_000,
      onFault: (error) => faults.push(error),
    });
    const answers: JSONRPCMessage[] = [];
    transport.onmessage = (message) => {
      if ('method' in message) throw new RangeError('Maximum call stack size exceeded');
      answers.push(message);
    };
    for (const [id, name] of ['json', 'sse'].entries()) {
      await transport.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
      await expect.poll(() => answers.length).toBe(id + 1);
    }
    expect(answers).toMatchObject([
      { id: 0, error: {} },
      { id: 1, result: {} },
    ]);
    expect([transport.noiseFrames, faults.length]).toEqual([3, 1]);
    await transport.close();
    await upstream.stop();
  });
});
