import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { CallId } from '@uar/contracts';
import type { ClientAnswer, ClientRequest, Notice } from '../../domain/client-side.js';
import { decodeFrame, encodeFrame } from '../frames/frame.js';
import { noteStream } from '../frames/origin.js';
import { ProgressTap } from '../progress-tap.js';

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A tap between an upstream and a client that are both the test; `sdk` got what nobody else took. */
class Tapped {
  readonly asked: ClientRequest[] = [];
  readonly told: Notice[] = [];
  readonly sent: string[] = [];
  readonly sdk: JSONRPCMessage[] = [];
  readonly given: AbortSignal[] = [];
  answer: (answer: ClientAnswer) => void = () => undefined;
  readonly inner: Transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: (message) => {
      this.sent.push(encodeFrame(message));
      return Promise.resolve();
    },
  };
  readonly tap = new ProgressTap(this.inner, {
    onToolsChanged: () => undefined,
    client: {
      capabilities: { sampling: {} },
      answer: async (request, signal) => {
        this.asked.push(request);
        this.given.push(signal);
        return await new Promise((resolve) => (this.answer = resolve));
      },
      onNotice: (notice) => this.told.push(notice),
    },
  });

  static async start(): Promise<Tapped> {
    const tapped = new Tapped();
    tapped.tap.onmessage = (message) => tapped.sdk.push(message);
    await tapped.tap.start();
    return tapped;
  }

  say(text: string, stream?: number | 'standing'): void {
    for (const message of decodeFrame(text, 'raw') ?? []) {
      if (stream !== undefined) noteStream(message, stream);
      this.inner.onmessage?.(message);
    }
  }

  ask(id: number | string, params = '{}', stream?: number | 'standing'): void {
    const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"sampling/createMessage","params":${params}}`;
    this.say(text, stream);
  }

  async call(id: number, callId: string): Promise<void> {
    const message = { jsonrpc: '2.0', id, method: 'tools/call', params: {} } as const;
    await this.tap.send(message, { relatedRequestId: callId });
  }
}

const calls = ['a', 'b'].map((digit) => CallId.parse(`call_${digit.repeat(32)}`));
const [first = '', second = ''] = calls;

describe('requests of an upstream', () => {
  it('are remembered with the call that they came during where nobody declared what they need', async () => {
    const tapped = await Tapped.start();
    await tapped.call(7, first);
    await tapped.call(8, second);
    for (const id of [1, 2]) tapped.say(`{"jsonrpc":"2.0","id":${id},"method":"roots/list"}`, 7);
    tapped.ask('x', '{}', 8);
    expect(calls.map((call) => tapped.tap.lackingOf(call))).toEqual([['roots'], []]);
    expect(tapped.sdk).toMatchObject([{ method: 'roots/list' }, { method: 'roots/list' }]);
    tapped.tap.ended(CallId.parse(first));
    expect(tapped.tap.lackingOf(CallId.parse(first))).toEqual([]);
  });

  it('are for the client whose capability they need, with the text of their params', async () => {
    const tapped = await Tapped.start();
    tapped.ask('x', '{"n":9007199254740993,\n"a":1.50}');
    tapped.say('{"jsonrpc":"2.0","id":2,"method":"roots/list"}');
    expect(tapped.asked).toEqual([
      { method: 'sampling/createMessage', paramsJson: '{"n":9007199254740993,"a":1.50}' },
    ]);
    expect(tapped.sdk).toMatchObject([{ id: 2, method: 'roots/list' }]);
    tapped.answer({ kind: 'answered', result_json: '{"b":1e2,\n"c":{}}' });
    await tick();
    expect(tapped.sent).toEqual(['{"jsonrpc":"2.0","id":"x","result":{"b":1e2,"c":{}}}']);
  });

  it('are those of the call on whose stream they come, over pipes of the latest that runs', async () => {
    const tapped = await Tapped.start();
    await tapped.call(1, first);
    await tapped.call(2, second);
    tapped.ask(1);
    tapped.ask(2, '{}', 1);
    tapped.ask(3, '{}', 'standing');
    tapped.tap.ended(CallId.parse(second));
    tapped.ask(4);
    tapped.ask(5, '{}', 2);
    expect(tapped.asked.map(({ callId }) => callId)).toEqual([second, first, undefined, first, undefined]);
  });

  it('wait 64 at a time, and give their places back when they are taken back', async () => {
    const tapped = await Tapped.start();
    for (let id = 0; id < 10_000; id += 1) tapped.ask(id);
    expect([tapped.asked.length, tapped.tap.ignoredRequests]).toEqual([64, 9_936]);
    tapped.say('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}');
    expect(tapped.given.map(({ aborted }) => aborted).filter(Boolean).length).toBe(1);
    tapped.answer({ kind: 'gone' });
    await tick();
    tapped.ask(10_001);
    tapped.ask(10_002);
    expect(tapped.asked.length).toBe(65);
  });

  it('are given up when the connection ends, and refused when they are too large together', async () => {
    const tapped = await Tapped.start();
    const large = `{"t":"${'x'.repeat(5 * 1024 * 1024)}"}`;
    tapped.ask(1, large);
    tapped.ask(2, large);
    await tick();
    expect(tapped.sent).toEqual([
      '{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"the request is too large now"}}',
    ]);
    tapped.inner.onclose?.();
    expect(tapped.given.map(({ aborted }) => aborted)).toEqual([true]);
    tapped.answer({ kind: 'gone' });
    await tick();
    expect(tapped.sent.length).toBe(1);
  });
});

describe('notices of an upstream', () => {
  it('are told with the text of their params and their call, unless they are too long or for nobody', async () => {
    const tapped = await Tapped.start();
    await tapped.call(7, first);
    const say = (method: string, params: string): void =>
      tapped.say(`{"jsonrpc":"2.0","method":"notifications/${method}","params":${params}}`, 7);
    say('message', '{"level":"info","data":9007199254740993}');
    say('message', `{"data":"${'x'.repeat(65_536)}"}`);
    say('message', '[]');
    say('roots/list_changed', '{}');
    tapped.say('{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}');
    expect(tapped.told).toEqual([
      {
        ...{ method: 'notifications/message', paramsJson: '{"level":"info","data":9007199254740993}' },
        callId: first,
      },
      { method: 'notifications/prompts/list_changed', paramsJson: '{}', callId: first },
    ]);
  });
});
