import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJson, jsonText, nearlyJson, objectText } from './json.fixture.js';
import { scanJson } from './scan.js';

const lenient = { duplicates: 'last_wins' } as const;

/** Names used twice by one object, found in another way than the scanner does: a reviver cannot see them, a parser of our own can. */
function hasRepeatedName(text: string): boolean {
  const open: (Set<string> | undefined)[] = [];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{}]/gs)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token.endsWith(':')) {
      const name: unknown = JSON.parse(token.slice(0, -1));
      const names = open.at(-1);
      if (names === undefined || typeof name !== 'string') throw new Error('a name outside of an object');
      if (names.has(name)) return true;
      names.add(name);
    }
  }
  return false;
}

describe('scanJson', () => {
  it('accepts exactly what JSON.parse accepts', () => {
    fc.assert(
      fc.property(fc.oneof(jsonText, nearlyJson, fc.string(), fc.json()), (text) => {
        expect(scanJson(text, lenient).kind).toBe(isJson(text) ? 'ok' : 'bad');
      }),
      { numRuns: 3000 },
    );
  });

  it('reads long strings as JSON.parse does, whatever stands in them', () => {
    const piece = fc.oneof(
      fc.integer({ min: 0, max: 150 }).map((length) => 'x'.repeat(length)),
      fc.constantFrom('\\"', '\\u00e9', '\\\\', '\u0001', '\u007f', '\ud800', '\uffff', '"', '\\x', ' '),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = `"${pieces.join('')}"`;
        expect(scanJson(text).kind).toBe(isJson(text) ? 'ok' : 'bad');
      }),
      { numRuns: 2000 },
    );
  });

  it('refuses exactly the valid texts that name a member twice', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const scan = scanJson(text);
        if (hasRepeatedName(text)) expect(scan).toMatchObject({ kind: 'bad', problem: 'duplicate_member' });
        else expect(scan.kind).toBe('ok');
      }),
      { numRuns: 2000 },
    );
  });

  it('gives the span of every member of the root object', () => {
    fc.assert(
      fc.property(objectText, (text) => {
        const scan = scanJson(` ${text}\n`, lenient);
        if (scan.kind !== 'ok') throw new Error('a valid text was refused');
        const members = [...scan.members].map(([name, { start, end }]) => [
          name,
          JSON.parse(` ${text}`.slice(start, end)) as unknown,
        ]);
        expect(new Map(members as [string, unknown][])).toEqual(
          new Map(Object.entries(JSON.parse(text) as Record<string, unknown>)),
        );
      }),
    );
  });

  it.each([
    ['{"a":1,"a":2}', 7, '/a'],
    ['{"a":1,"\\u0061":2}', 7, '/a'],
    ['[0,{"x":{"\\n":1,"b":2,"\\u000a":3}}]', 22, '/1/x/\n'],
    [`{${[...'abcdefghijk'].map((name) => `"${name}":0`).join(',')},"d":1}`, 67, '/d'],
    ['{"a/b":{"~":1,"\\u007e":1}}', 14, '/a~1b/~0'],
  ])('names the repeated member in %s', (text, offset, pointer) => {
    expect(scanJson(text)).toEqual({ kind: 'bad', problem: 'duplicate_member', offset, pointer });
  });

  it.each([
    ['{"a":{"b":[1,2,x]}}', 15, '/a/b/2'],
    ['{"a":1,}', 7, '/a'],
    ['[01]', 2, '/0'],
    ['', 0, ''],
    ['{} {}', 3, ''],
  ])('says where %s breaks', (text, offset, pointer) => {
    const scan = scanJson(text);
    expect(scan).toMatchObject({ kind: 'bad', problem: 'syntax', offset });
    if (scan.kind === 'bad' && !text.includes(',}')) expect(scan.pointer).toBe(pointer);
  });

  it('knows the kind of the root', () => {
    const kinds = ['{}', '[]', '"a"', '-1', 'true', 'null'].map((text) => {
      const scan = scanJson(` ${text} `);
      return scan.kind === 'ok' ? scan.rootKind : scan.problem;
    });
    expect(kinds).toEqual(['object', 'array', 'string', 'number', 'boolean', 'null']);
  });

  it('reads depth 100,000 without overflowing the stack, and refuses it where a limit is set', () => {
    const arrays = '['.repeat(100_000) + ']'.repeat(100_000);
    const objects = '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000);
    expect(scanJson(arrays).kind).toBe('ok');
    expect(scanJson(objects).kind).toBe('ok');
    const bad = scanJson(objects, { maxDepth: 64 });
    expect(bad).toMatchObject({ kind: 'bad', problem: 'too_deep', offset: 64 * 5 });
    expect(bad.kind === 'bad' && bad.pointer).toBe('/a'.repeat(32));
    expect(scanJson('['.repeat(64) + ']'.repeat(64), { maxDepth: 64 }).kind).toBe('ok');
  });

  it('counts every value against maxNodes and stops a million keys there', () => {
    const keys = Array.from({ length: 1_000_000 }, (_, index) => `"${index}":0`).join(',');
    expect(scanJson(`{${keys}}`, { maxNodes: 10_000 })).toMatchObject({
      problem: 'too_many_nodes',
      pointer: '/9999',
    });
    expect(scanJson('[1,[2],{"a":3}]', { maxNodes: 6 }).kind).toBe('ok');
    expect(scanJson('[1,[2],{"a":3}]', { maxNodes: 5 }).kind).toBe('bad');
    const all = scanJson(`{${keys}}`);
    expect(all.kind === 'ok' && all.members.size).toBe(1_000_000);
  });

  it('takes time in proportion to the text', () => {
    const text = (items: number): string => `[${'{"name":"value \\" with","n":[1,2.5e3]},'.repeat(items)}0]`;
    const cost = (value: string): number => {
      const start = performance.now();
      for (let round = 0; round < 5; round += 1) scanJson(value);
      return performance.now() - start;
    };
    cost(text(5_000));
    const ratio = cost(text(100_000)) / cost(text(10_000));
    expect(ratio).toBeLessThan(40);
  });
});
