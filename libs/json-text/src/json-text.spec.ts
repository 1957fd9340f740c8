import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  JsonText,
  argumentsDigest,
  compact,
  elementTexts,
  memberString,
  memberText,
  withMember,
  withMeta,
} from './index.js';
import { jsonText, nearlyJson, objectText } from './json.fixture.js';
import { stringifyWithText } from './json-text.js';

const parsed = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

describe('compact', () => {
  it('keeps the value and the token texts, and leaves no white space outside strings', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const short = compact(`\t${text} \r\n`);
        const tokens = (value: string): string[] => value.match(/"(?:[^"\\]|\\.)*"|[^\s"]/gs) ?? [];
        expect(tokens(short)).toEqual(tokens(text));
        expect(short.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '')).not.toMatch(/\s/);
        expect(JSON.parse(short)).toEqual(JSON.parse(text));
        expect(compact(short)).toBe(short);
      }),
      { numRuns: 1000 },
    );
  });

  it('leaves numbers, escapes, order and white space inside strings alone', () => {
    expect(compact('{ "b" : 9007199254740993.10 ,\n "a" : "x \\n\\u0061 \\" y" }')).toBe(
      '{"b":9007199254740993.10,"a":"x \\n\\u0061 \\" y"}',
    );
  });
});

describe('memberText', () => {
  it('is the text of what JSON.parse finds there', () => {
    fc.assert(
      fc.property(objectText, jsonText, (outer, inner) => {
        const text = withMember(outer, 'target', inner);
        const names = Object.keys(parsed(text)).filter((name) => name !== '__proto__');
        for (const name of names)
          expect(JSON.parse(memberText(text, name) ?? 'x')).toEqual(parsed(text)[name]);
        expect(memberText(text, 'target')).toBe(inner);
        expect(memberText(`{"deep":[1],"up":{"er":${text}}}`, 'up', 'er', 'target')).toBe(inner);
        expect(memberText(text, 'no such member')).toBeUndefined();
      }),
      { numRuns: 1000 },
    );
  });

  it('reads the last of a repeated name, escapes undone', () => {
    expect(memberText('{"a":1,"\\u0061":[2]}', 'a')).toBe('[2]');
  });

  it('never throws on broken text', () => {
    fc.assert(
      fc.property(fc.oneof(nearlyJson, fc.string()), (text) => {
        memberText(text, 'a', 'b');
        memberText(`{"a":${text}`, 'a', 'b');
        elementTexts(text);
        elementTexts(`[${text}`);
      }),
      { numRuns: 2000 },
    );
  });

  it('skims depth 100,000 without overflowing the stack', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(memberText(`{"a":${deep},"b":1}`, 'b')).toBe('1');
  });
});

describe('memberString', () => {
  it('is the string that JSON.parse finds there, and nothing where it finds another thing', () => {
    fc.assert(
      fc.property(objectText, jsonText, (outer, inner) => {
        const found: unknown = JSON.parse(inner);
        const text = `{"up":${withMember(outer, 'target', inner)}}`;
        expect(memberString(text, 'up', 'target')).toBe(typeof found === 'string' ? found : undefined);
      }),
      { numRuns: 1000 },
    );
    expect(memberString('{"a":"\\u0061\\"b"}', 'a')).toBe('a"b');
    expect(memberString('{"a":["b"]}', 'a')).toBeUndefined();
    expect(memberString('{}', 'a')).toBeUndefined();
  });

  it('never throws on broken text', () => {
    expect(memberString('{"a":"\\x"}', 'a')).toBeUndefined();
    fc.assert(
      fc.property(fc.oneof(nearlyJson, fc.string()), (text) => void memberString(`{"a":${text}`, 'a')),
    );
  });
});

describe('elementTexts', () => {
  it('cuts an array into the texts of its elements', () => {
    fc.assert(
      fc.property(fc.array(jsonText, { maxLength: 5 }), (texts) => {
        expect(elementTexts(` [ ${texts.join(' , ')} ] `)).toEqual(texts.map((text) => text.trim()));
      }),
    );
  });
});

describe('withMember', () => {
  it('sets that member and no other, and puts nothing else elsewhere', () => {
    fc.assert(
      fc.property(objectText, fc.string(), jsonText, (text, key, value) => {
        const changed = withMember(text, key, value);
        expect(memberText(changed, key)).toBe(value);
        for (const name of Object.keys(parsed(text)))
          if (name !== key) expect(memberText(changed, name)).toBe(memberText(text, name));
        expect(Object.keys(parsed(changed)).length).toBe(new Set([...Object.keys(parsed(text)), key]).size);
        expect(withMember(changed, key, value)).toBe(changed);
      }),
      { numRuns: 1000 },
    );
  });

  it('appends to an empty object and keeps the rest byte for byte', () => {
    expect(withMember('{ }', 'a', '1')).toBe('{ "a":1}');
    expect(withMember('{"n":1.0, "z":{} }', 'a', '1')).toBe('{"n":1.0, "z":{} ,"a":1}');
  });

  it('refuses a text that is no object', () => {
    for (const text of ['[]', '1', '"{}"', '']) expect(() => withMember(text, 'a', '1')).toThrow(TypeError);
  });
});

describe('withMeta', () => {
  it('adds one key to _meta and keeps the others', () => {
    fc.assert(
      fc.property(objectText, objectText, jsonText, (base, meta, value) => {
        const result = withMember(base, '_meta', meta);
        const changed = withMeta(result, 'io.uar/call', value);
        expect(memberText(changed, '_meta', 'io.uar/call')).toBe(value);
        for (const name of Object.keys(parsed(meta)))
          if (name !== 'io.uar/call') expect(memberText(changed, '_meta', name)).toBe(memberText(meta, name));
      }),
    );
  });

  it.each([
    ['{"content":[]}', '{"content":[],"_meta":{"k":1}}'],
    ['{"_meta":{},"content":[]}', '{"_meta":{"k":1},"content":[]}'],
    ['{"_meta":null}', '{"_meta":{"k":1}}'],
    ['{"_meta":{"x":1e2}}', '{"_meta":{"x":1e2,"k":1}}'],
  ])('turns %s into %s', (text, expected) => {
    expect(withMeta(text, 'k', '1')).toBe(expected);
  });
});

describe('stringifyWithText', () => {
  it('writes what JSON.stringify writes, with the texts in place', () => {
    fc.assert(
      fc.property(fc.jsonValue(), jsonText, (value, text) => {
        expect(stringifyWithText(value)).toBe(JSON.stringify(value));
        expect(stringifyWithText({ a: value, b: [new JsonText(text), 'x', new JsonText('1.0')], c: 1 })).toBe(
          `{"a":${JSON.stringify(value)},"b":[${text},"x",1.0],"c":1}`,
        );
        expect(stringifyWithText(new JsonText(text))).toBe(text);
      }),
    );
  });

  it('keeps a text from being written by accident, also after a failed write', () => {
    const value = { text: new JsonText('1') };
    expect(() => JSON.stringify(value)).toThrow(TypeError);
    expect(() => stringifyWithText({ ...value, big: 1n })).toThrow(TypeError);
    expect(() => JSON.stringify(value)).toThrow(TypeError);
  });

  it('may be used inside of itself', () => {
    const inner = { toJSON: () => stringifyWithText([new JsonText('2.0')]) };
    expect(stringifyWithText({ a: new JsonText('1.0'), inner, b: new JsonText('3.0') })).toBe(
      '{"a":1.0,"inner":"[2.0]","b":3.0}',
    );
  });
});

describe('argumentsDigest', () => {
  it('is the sha256 of the UTF-8', () => {
    const text = '{"a":"ü€😀"}';
    const expected = createHash('sha256').update(Buffer.from(text, 'utf8')).digest('hex');
    expect(argumentsDigest(text)).toBe(`sha256:${expected}`);
  });
});
