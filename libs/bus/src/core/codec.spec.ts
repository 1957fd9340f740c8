import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Assembly, decodeJson, encodeJson, partsOf, traceOf } from './codec.js';

const partHeader = (index: number, count: number) => ({ part: `${index + 1}/${count}` });

describe('JSON bytes', () => {
  it('bring back every JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text: unknown = JSON.parse(JSON.stringify(value));
        expect(decodeJson(encodeJson(value) ?? Buffer.alloc(0))).toEqual(text);
      }),
    );
  });

  it('are none for what JSON cannot say', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect([undefined, 1n, cycle, () => 1].map(encodeJson)).toEqual(Array(4).fill(undefined));
  });

  it('are not read from other bytes', () => {
    expect(['', '{', 'undefined', '{}x'].map((text) => decodeJson(Buffer.from(text)))).toEqual(
      Array(4).fill(undefined),
    );
    expect(decodeJson(Uint8Array.of(0x22, 0xc3, 0x22))).toBeUndefined();
  });
});

describe('parts', () => {
  const anyBody = fc.integer({ min: 1, max: 3_000_000 });
  const anyRoom = fc.integer({ min: 1_000, max: 4_000_000 });

  it('fit into the room, and together are the body', () => {
    fc.assert(
      fc.property(anyBody, anyRoom, (length, room) => {
        const body = Buffer.alloc(length, 'abcdefg');
        const parts = partsOf(body, room);
        expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(room);
        const assembly = new Assembly(length);
        const results = parts.map((part, index) =>
          assembly.add(
            parts.length === 1 ? { body: part } : { body: part, headers: partHeader(index, parts.length) },
          ),
        );
        const last = results.pop();
        expect(results.every(({ kind }) => kind === 'partial')).toBe(true);
        expect(last?.kind === 'whole' && Buffer.compare(last.body, body)).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  it('over the cap are too large as soon as the cap is passed', () => {
    const assembly = new Assembly(10);
    expect(assembly.add({ body: Buffer.alloc(6), headers: partHeader(0, 3) })).toEqual({ kind: 'partial' });
    expect(assembly.add({ body: Buffer.alloc(6), headers: partHeader(1, 3) })).toEqual({ kind: 'too_large' });
    expect(new Assembly(10).add({ body: Buffer.alloc(11) })).toEqual({ kind: 'too_large' });
  });
});

describe('traces', () => {
  it('are W3C traceparents or nothing', () => {
    const good = `00-${'0123456789abcdef'.repeat(2)}-0123456789abcdef-01`;
    expect([good, `${good} `, `${good}\n`, good.toUpperCase(), '', undefined].map(traceOf)).toEqual([
      good,
      ...Array<undefined>(5).fill(undefined),
    ]);
  });
});
