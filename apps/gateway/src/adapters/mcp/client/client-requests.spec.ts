import { JsonText, stringifyWithText } from '@uar/json-text';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ClientReply, ClientRequests } from './client-requests.js';

describe('ClientRequests', () => {
  let sent: { readonly message: Record<string, unknown>; readonly related: unknown }[];
  let replies: ClientReply[];
  let open: Set<string | number>;
  let requests: ClientRequests;
  beforeEach(() => {
    [sent, replies, open] = [[], [], new Set([1])];
    requests = new ClientRequests({
      send: (message, options) => {
        const written: Record<string, unknown> = JSON.parse(stringifyWithText(message));
        sent.push({ message: written, related: options?.relatedRequestId });
        return Promise.resolve();
      },
      hasStream: (request) => open.has(request),
    });
  });

  const ask = (related?: number) =>
    requests.ask({ method: 'roots/list', related, onReply: (reply) => replies.push(reply) });
  const take = (text: string): boolean =>
    requests.take({ kind: 'response', message: JSON.parse(text), text });
  const lastId = (): string => String(sent.at(-1)?.message['id']);

  it('ask under ids that nobody guesses, on the stream of the related request while it is there', () => {
    ask(1);
    ask();
    ask(2);
    expect(sent.map(({ related }) => related)).toEqual([1, undefined, undefined]);
    const ids = sent.map(({ message }) => message['id']);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^uar_[0-9a-f-]{36}$/);
    expect(sent[0]?.message).toEqual({ jsonrpc: '2.0', id: ids[0], method: 'roots/list' });
  });

  it('hand on result and error as they were sent, once', () => {
    ask();
    const result = `{"jsonrpc":"2.0","id":"${lastId()}","result":{ "n": 1.50e2, "b": 9007199254740993 }}`;
    expect([take(result), take(result)]).toEqual([true, true]);
    expect(replies).toEqual([{ kind: 'result', text: '{ "n": 1.50e2, "b": 9007199254740993 }' }]);
    ask();
    take(`{"jsonrpc":"2.0","id":"${lastId()}","error":{"code":-1,"message":"n\\u006f","data":[1.0]}}`);
    expect(replies[1]).toEqual({ kind: 'error', code: -1, message: 'no', dataText: '[1.0]' });
    ask();
    take(`{"jsonrpc":"2.0","id":"${lastId()}","error":{"code":-2,"message":""}}`);
    expect(replies[2]).toMatchObject({ kind: 'error', code: -2, dataText: undefined });
    expect(requests.size).toBe(0);
  });

  it('leave what is no answer to one of them', () => {
    ask();
    for (const id of ['7', '"7"', '"elicit_1"', 'null'])
      expect(take(`{"jsonrpc":"2.0","id":${id},"result":{}}`)).toBe(false);
    expect(take(`{"jsonrpc":"2.0","id":"uar_made-up","result":{}}`)).toBe(true);
    expect([replies, requests.size]).toEqual([[], 1]);
  });

  it('are cancelled with a word to the client, unless it has answered', () => {
    const [answered, waiting] = [ask(1), ask(1)];
    take(`{"jsonrpc":"2.0","id":"${String(sent[0]?.message['id'])}","result":{}}`);
    answered.cancel('over');
    waiting.cancel('over');
    waiting.cancel('over');
    const params = { requestId: sent[1]?.message['id'], reason: 'over' };
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
    expect(sent.slice(2)).toEqual([{ message: cancelled, related: 1 }]);
  });

  it('write texts of upstreams as they are', () => {
    let written = '';
    const other = new ClientRequests({
      send: (message) => {
        written = stringifyWithText(message);
        return Promise.resolve();
      },
      hasStream: () => false,
    });
    other.ask({ method: 'sampling/createMessage', params: new JsonText('{"maxTokens":1e2}') });
    expect(written).toContain('"params":{"maxTokens":1e2}');
  });
});
