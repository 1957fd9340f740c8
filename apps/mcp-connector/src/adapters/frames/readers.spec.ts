import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFrame } from './frame.js';
import { IdFinder } from './id-finder.js';
import { LineReader } from './line-reader.js';
import { SseReader } from './sse-reader.js';

/** The bytes cut at those places. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

function read(bytes: Buffer, cuts: readonly number[], maxBytes: number): unknown[] {
  const seen: unknown[] = [];
  const reader = new LineReader({
    maxBytes,
    onLine: (line) => seen.push(line),
    onTooLong: (line) => seen.push(line.id),
  });
  for (const piece of pieces(bytes, cuts)) reader.read(piece);
  return seen;
}

describe('LineReader', () => {
  it('gives the same lines however the stream is cut', () => {
    const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', '') || 'x');
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        const expected = lines.map((text) => Buffer.from(text).toString());
        expect(read(bytes, cuts, 10_000)).toEqual(expected);
      }),
    );
  });

  it('skips what is too long, knows whose answer it was, and goes on with the next line', () => {
    const nested = fc.json({ maxDepth: 4 });
    fc.assert(
      fc.property(
        fc.record({ value: nested, isFirst: fc.boolean(), id: fc.nat() }),
        fc.array(fc.nat()),
        ({ value, isFirst, id }, cuts) => {
          const filler = `"result":{"id":7,"t":${value},"s":"\\"id\\":1,{${'é'.repeat(300)}"}`;
          const members = [filler, '"jsonrpc":"2.0"'];
          members.splice(isFirst ? 0 : 2, 0, `"id" : ${id}`);
          const bytes = Buffer.from(`{"a":1}\n{${members.join(',')}}\n{"b":2}\n`);
          expect(read(bytes, cuts, 300)).toEqual(['{"a":1}', id, '{"b":2}']);
        },
      ),
    );
  });

  it('tells the id before the line ends where it stands in front', () => {
    const told: unknown[] = [];
    const reader = new LineReader({
      maxBytes: 100,
      onLine: () => undefined,
      onTooLong: (line) => told.push(line),
    });
    reader.read(Buffer.from(`{"jsonrpc":"2.0","id":"12","result":"${'x'.repeat(200)}`));
    expect(told).toEqual([{ id: 12, bytes: 237 }]);
    reader.read(Buffer.from('"}\n'));
    expect(told.length).toBe(1);
  });

  it('takes time in proportion to the stream', () => {
    const chunk = Buffer.alloc(65_536, 'x');
    const cost = (chunks: number): number => {
      const reader = new LineReader({ maxBytes: 1e9, onLine: () => undefined, onTooLong: () => undefined });
      const start = performance.now();
      for (let index = 0; index < chunks; index += 1) reader.read(chunk);
      reader.read(Buffer.from('\n'));
      return performance.now() - start;
    };
    cost(20);
    expect(cost(640) / cost(64)).toBeLessThan(60);
  });
});

it('finds no id where there is none', () => {
  for (const text of ['{"a":{"id":1}}', '[{"id":1}]', '{"id":null}', '{"id":"x"}', '{"x":"\\"id\\":1"}']) {
    const finder = new IdFinder();
    finder.feed(Buffer.from(text));
    expect(finder.id, text).toBeUndefined();
  }
});

describe('SseReader', () => {
  const events = (text: string, cuts: readonly number[], maxBytes = 10_000): unknown[] => {
    const seen: unknown[] = [];
    const reader = new SseReader({
      maxBytes,
      onData: (data) => seen.push(data),
      onTooLong: () => seen.push('too long'),
    });
    for (const piece of pieces(Buffer.from(text), cuts)) reader.read(piece);
    return seen;
  };

  it('gives the same events however the stream is cut and its lines end', () => {
    const data = fc
      .string({ unit: 'binary' })
      .map((text) => text.replaceAll(/[\r\n\ud800-\udfff]/g, '_') || 'x');
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(fc.array(fc.tuple(data, data, lineEnd)), fc.array(fc.nat()), (list, cuts) => {
        const text = list
          .map(([a, b, end]) => [`: comment`, `id: 1`, `data: ${a}`, `data:${b}`, '', ''].join(end))
          .join('');
        const expected = list.map(([a, b]) => `${a}\n${b.startsWith(' ') ? b.slice(1) : b}`);
        expect(events(text, cuts)).toEqual(expected);
      }),
    );
  });

  it('leaves out other types, empty events, an unfinished one, and what is too long', () => {
    const text = `event: ping\ndata: 1\n\ndata:\n\n: only\n\ndata: ${'x'.repeat(99)}\n\ndata: good\n\ndata: never`;
    expect(events(text, [3, 50, 70], 50)).toEqual(['too long', 'good']);
  });
});

describe('decodeFrame', () => {
  it('takes JSON-RPC and nothing else', () => {
    for (const noise of [
      '',
      'hello',
      '{"id":1}',
      '{"result":{}}',
      '[1]',
      '{"id":1.5,"result":{}}',
      '{"id":1,"result":{}',
    ])
      expect(decodeFrame(noise, 'raw'), noise).toBeUndefined();
    const [first, second] = decodeFrame('[{"id":"3","result":{"a":1.0}},{"method":"x"}]', 'raw') ?? [];
    expect(first).toMatchObject({ jsonrpc: '2.0', id: 3, result: { text: '{"a":1.0}' } });
    expect(second).toEqual({ method: 'x' });
  });

  it('survives an error that is no error', () => {
    for (const error of ['5', '{}', '{"code":"x","message":7}', 'null'])
      expect(decodeFrame(`{"id":1,"error":${error}}`, 'raw')?.[0]).toMatchObject({
        error: { data: { problem: { kind: 'upstream_error', code: -32603 } } },
      });
  });
});
