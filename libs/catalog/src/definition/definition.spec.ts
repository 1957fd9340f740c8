import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { definitionDigest, readDefinition } from './definition.js';

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

describe('definitionDigest', () => {
  it('is the sha256 of the canonical form of the six members', () => {
    const text = `{ "description": "d", "name": "n", "icons": [], "_meta": {"x": 1},
      "inputSchema": {"type": "object", "b": 1.0, "a": 1e2} }`;
    const canonical = '{"description":"d","inputSchema":{"a":100,"b":1,"type":"object"},"name":"n"}';
    expect(definitionDigest(text)).toBe(sha256(canonical));
  });

  it('does not depend on white space, member order or members outside the six', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (schema, meta) => {
        const one = { name: 'n', title: 't', inputSchema: schema, annotations: { readOnlyHint: false } };
        const two = Object.fromEntries(Object.entries({ ...one, _meta: meta }).toReversed());
        expect(definitionDigest(JSON.stringify(two, undefined, 3))).toBe(definitionDigest(one));
      }),
    );
  });

  it.each(['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'])(
    'changes when %s appears, and differs between absent, null and empty',
    (member) => {
      const base: Record<string, unknown> = { name: 'n' };
      const values = [{}, null, '', 'x'].map((value) => definitionDigest({ ...base, [member]: value }));
      expect(new Set([...values, definitionDigest(base)]).size).toBe(5);
    },
  );

  it('digests what has no canonical form by its text, whatever the nesting', () => {
    const nested = `{"name":"n","inputSchema":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(definitionDigest(nested)).toBe(sha256(nested));
    expect(definitionDigest('[1]')).toBe(sha256('[1]'));
    expect(definitionDigest('{')).toBe(sha256('{'));
  });

  it('covers own members only', () => {
    expect(definitionDigest('{"__proto__":{"name":"x"}}')).toBe(sha256('{}'));
  });
});

describe('readDefinition', () => {
  it.each(['', '1', '[]', 'null', '{}', '{"name":1}', '{"name":""}', '{"name":"a"'])(
    'finds no tool in %s',
    (text) => expect(readDefinition(text)).toEqual({ kind: 'unreadable' }),
  );

  it('takes annotations that are no object as none', () => {
    const read = readDefinition('{"name":"a","annotations":[true],"inputSchema":{"type":"object"}}');
    expect(read).toEqual({
      kind: 'definition',
      definition: { name: 'a', annotations: {}, inputSchema: { type: 'object' }, outputSchema: undefined },
    });
  });
});
