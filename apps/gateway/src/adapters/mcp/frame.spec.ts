import { JsonText } from '@uar/json-text';
import { describe, expect, it } from 'vitest';
import { type ClientFrame, type FrameRefusal, readFrames } from './frame.js';

function readBytes(body: Uint8Array): ClientFrame | FrameRefusal {
  const read = readFrames(body, { hasBatches: false });
  if ('kind' in read) return read;
  const [frame] = read;
  if (frame === undefined || read.length > 1) throw new Error('not one frame');
  return frame;
}

const batch = (...texts: string[]) =>
  readFrames(Buffer.from(`[${texts.join(' ,\n')}]`), { hasBatches: true });
const ping = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;

const readFrame = (text: string) => readBytes(Buffer.from(text));

const call = (args: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a__b","arguments":${args}}}`;

describe('readFrame', () => {
  it('keeps the argument text as it was sent, white space outside strings removed', () => {
    const frame = readFrame(call('{ "big" : 9007199254740993,\n "s": "a  b", "e": 1.50e2 }'));
    const params = frame.kind === 'request' ? frame.message['params'] : undefined;
    expect(params).toMatchObject({ name: 'a__b' });
    expect((params as { arguments: JsonText }).arguments).toEqual(
      new JsonText('{"big":9007199254740993,"s":"a  b","e":1.50e2}'),
    );
  });

  it.each([
    ['a request', '{"jsonrpc":"2.0","id":"x","method":"ping"}', 'request'],
    ['a request of id 0', '{"jsonrpc":"2.0","id":0,"method":"ping","params":{}}', 'request'],
    ['a notification', '{"jsonrpc":"2.0","method":"notifications/initialized"}', 'notification'],
    ['a result', '{"jsonrpc":"2.0","id":4,"result":{}}', 'response'],
    ['an error', '{"jsonrpc":"2.0","id":4,"error":{"code":-1,"message":"no"}}', 'response'],
  ])('tells %s', (_, text, kind) => {
    expect(readFrame(text).kind).toBe(kind);
  });

  it.each([
    ['text that is no JSON', '{"jsonrpc":"2.0",', -32700],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
    ['a doubled member', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32600],
    ['a member doubled by an escape', call('{"a":1,"\\u0061":2}'), -32600],
    ['a member of another casing', '{"jsonrpc":"2.0","id":1,"Method":"tools/call"}', -32600],
    ['an unknown member', '{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}', -32600],
    ['a method beside a result', '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', -32600],
    ['a null id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['a fractional id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['positional params', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32600],
    ['depth 100,000', call('['.repeat(100_000) + ']'.repeat(100_000)), -32600],
    ['a bare string', '"tools/call"', -32600],
  ])('refuses %s', (_, text, code) => {
    expect(readFrame(text)).toMatchObject({ kind: 'refused', code });
  });

  it('refuses bytes that are no UTF-8, for they would reach the tool as others', () => {
    const [before, after] = call('"x"').split('x');
    const body = Buffer.concat([
      Buffer.from(before ?? ''),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(after ?? ''),
    ]);
    expect(readBytes(body)).toMatchObject({ kind: 'refused', code: -32700 });
  });
});

describe('a batch where the revision has them', () => {
  it('is its messages in order, the argument text of each kept', () => {
    const read = batch(
      ping(1),
      call('{ "n": 1.50 }'),
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    );
    expect(read).toMatchObject([
      { kind: 'request', id: 1, method: 'ping' },
      { kind: 'request', message: { params: { arguments: new JsonText('{"n":1.50}') } } },
      { kind: 'notification' },
    ]);
  });

  it.each([
    ['is empty', []],
    ['is too long', Array.from({ length: 101 }, (_, id) => ping(id))],
    ['holds one message that is none', [ping(1), '{"jsonrpc":"2.0","id":2}']],
    ['holds a batch', [`[${ping(1)}]`]],
    ['mixes requests with responses', [ping(1), '{"jsonrpc":"2.0","id":2,"result":{}}']],
    ['would open a session', ['{"jsonrpc":"2.0","id":2,"method":"initialize","params":{}}']],
  ])('is refused whole when it %s', (_, texts) => {
    expect(batch(...texts)).toMatchObject({ kind: 'refused', code: -32600 });
  });
});
