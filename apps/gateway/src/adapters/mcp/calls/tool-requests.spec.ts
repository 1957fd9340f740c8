import { JsonText } from '@uar/json-text';
import { beforeEach, describe, expect, it } from 'vitest';
import { RpcError } from './call-result.js';
import { type ToolRequest, ToolRequests } from './tool-requests.js';

interface Asked {
  readonly request: ToolRequest;
  resolve(result: JsonText): void;
  reject(error: Error): void;
}

describe('ToolRequests', () => {
  let asked: Asked[];
  let sent: unknown[];
  let requests: ToolRequests;

  beforeEach(() => {
    asked = [];
    sent = [];
    requests = new ToolRequests(
      (request) => new Promise((resolve, reject) => asked.push({ request, resolve, reject })),
      (message, options) => {
        sent.push(options === undefined ? message : [message, options]);
        return Promise.resolve();
      },
    );
  });

  const take = (params: Record<string, unknown> = { name: 'a' }, method = 'tools/call', id = 7): boolean =>
    requests.take({ kind: 'request', id, method, message: { jsonrpc: '2.0', id, method, params } });
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
    expect([told, sent]).toEqual([1, []]);
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
