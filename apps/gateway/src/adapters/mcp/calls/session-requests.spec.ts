import { JsonText } from '@uar/json-text';
import { beforeEach, describe, expect, it } from 'vitest';
import { RpcError } from './call-result.js';
import { type SessionRequest, SessionRequests } from './session-requests.js';

interface Asked {
  readonly request: SessionRequest;
  resolve(result: JsonText): void;
  reject(error: Error): void;
}

describe('SessionRequests', () => {
  let asked: Asked[];
  let sent: unknown[];
  let over: unknown[];
  let requests: SessionRequests;

  beforeEach(() => {
    asked = [];
    sent = [];
    over = [];
    const answer = (request: SessionRequest) =>
      new Promise<JsonText>((resolve, reject) => asked.push({ request, resolve, reject }));
    requests = new SessionRequests({
      answers: new Map([['tools/call', answer]]),
      send: (message, options) => {
        sent.push(options === undefined ? message : [message, options]);
        return Promise.resolve();
      },
      over: (request) => over.push(request),
    });
  });

  const take = (params: Record<string, unknown> = { name: 'a' }, method = 'tools/call', id = 7): boolean =>
    requests.take({ kind: 'request', id, method, text: '', message: { jsonrpc: '2.0', id, method, params } });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('answers a request with its result', async () => {
    expect(take()).toBe(true);
    const result = new JsonText('{"content":[]}');
    asked[0]?.resolve(result);
    await settled();
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 7, result }]);
  });

  it('answers a request with the error that was thrown', async () => {
    take();
    asked[0]?.reject(new RpcError(-32602, 'no', { why: 1 }));
    take({ name: 'b' }, 'tools/call', 8);
    asked[1]?.reject(new Error('broken'));
    await settled();
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 7, error: { code: -32602, message: 'no', data: { why: 1 } } },
      { jsonrpc: '2.0', id: 8, error: { code: -32603, message: 'broken' } },
    ]);
  });

  it('tells of a cancel once, and says nothing more', async () => {
    let told = 0;
    take();
    asked[0]?.request.onCancel(() => (told += 1));
    requests.cancel(7);
    requests.cancelAll();
    asked[0]?.request.notify({ progressToken: 1 });
    asked[0]?.resolve(new JsonText('{}'));
    await settled();
    expect([told, sent, over]).toEqual([1, [], [7]]);
  });

  it('finds the request of a call until it is answered or cancelled, and tells of either', async () => {
    take({ name: 'a' }, 'tools/call', 7);
    take({ name: 'a' }, 'tools/call', 8);
    const call = { callId: 'call_1' };
    asked[0]?.request.runs({ callId: 'call_0' });
    asked[1]?.request.runs(call);
    expect(['call_0', 'call_1', 'call_2'].map((id) => requests.find(id))).toEqual([7, 8, undefined]);
    call.callId = 'call_2';
    expect(requests.find('call_2')).toBe(8);
    requests.cancel(7);
    asked[1]?.resolve(new JsonText('{}'));
    await settled();
    expect(['call_0', 'call_2'].map((id) => requests.find(id))).toEqual([undefined, undefined]);
    expect(over).toEqual([7, 8]);
  });

  it('sends progress on the stream of its request', () => {
    take();
    asked[0]?.request.notify({ progressToken: 1 });
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1 } };
    expect(sent).toEqual([[progress, { relatedRequestId: 7 }]]);
  });

  it('leaves everything else to the SDK, and calls that speak of tasks', () => {
    expect(take({}, 'tools/list')).toBe(false);
    expect(take({ name: 'a', task: {} })).toBe(false);
    expect(take({ name: 'a', _meta: { 'io.modelcontextprotocol/related-task': {} } })).toBe(false);
    expect(asked).toEqual([]);
  });
});
