import { describe, expect, it } from 'vitest';
import { compileSchema } from './compile-schema.js';

const check = (schema: unknown, value: unknown) => compileSchema(JSON.stringify(schema))(value);

function timed<T>(action: () => T): { value: T; ms: number } {
  const start = performance.now();
  const value = action();
  return { value, ms: performance.now() - start };
}

describe('compileSchema', () => {
  it('accepts what fits and names path and reason of what does not, never the value', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    expect(check(schema, { n: 1 })).toEqual({ kind: 'fits' });
    expect(check(schema, { n: 'planted-secret' })).toEqual({
      kind: 'does_not_fit',
      errors: [{ path: '/n', message: 'must be integer' }],
    });
    expect(check(schema, {})).toMatchObject({ kind: 'does_not_fit' });
  });

  it('names the member that a closed schema does not know', () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    expect(check(schema, { extra: 1 })).toEqual({
      kind: 'does_not_fit',
      errors: [{ path: '', message: 'must NOT have additional properties: "extra"' }],
    });
  });

  it('reads 2020-12 tuples, and draft-07 tuples where the schema says so', () => {
    const tuple = [{ type: 'string' }, { type: 'number' }];
    const now = { properties: { t: { prefixItems: tuple } } };
    const then = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { t: { items: tuple } },
    };
    expect(check(now, { t: [1] })).toMatchObject({ kind: 'does_not_fit' });
    expect(check(then, { t: [1] })).toMatchObject({ kind: 'does_not_fit' });
    expect(check(then, { t: ['a', 2] })).toEqual({ kind: 'fits' });
  });

  it('follows local references and recursion', () => {
    const schema = {
      $ref: '#/$defs/tree',
      $defs: { tree: { type: 'object', properties: { child: { $ref: '#/$defs/tree' } }, required: ['v'] } },
    };
    expect(check(schema, { v: 1, child: { v: 2 } })).toEqual({ kind: 'fits' });
    expect(check(schema, { v: 1, child: {} })).toMatchObject({ kind: 'does_not_fit' });
  });

  it.each([
    ['{"$ref":"#"} in place', { $ref: '#' }],
    ['a reference to another document', { $ref: 'https://example.com/schema.json' }],
    ['a reference into no schema', { $ref: '#/const/x', const: { x: { $ref: '#/const/x' } } }],
    ['a type that does not exist', { type: 'no-such-type' }],
    ['false', false],
    [
      '501 properties',
      { properties: Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`p${i}`, {}])) },
    ],
    ['33 levels', Array.from({ length: 34 }).reduce<unknown>((inner) => ({ not: inner }), {})],
    ['more than 64 KB', { description: 'x'.repeat(70_000) }],
  ])('refuses %s', (_name, schema) => {
    expect(check(schema, { a: 1 })).toMatchObject({ kind: 'uncheckable' });
  });

  it('gives up on references that multiply the work at once', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [
        `d${i}`,
        { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
      ]),
    );
    const validate = compileSchema(JSON.stringify({ $ref: '#/$defs/d0', $defs: { ...$defs, d60: {} } }));
    const { value, ms } = timed(() => validate({}));
    expect(value).toEqual({ kind: 'uncheckable', cause: 'schema_too_costly' });
    expect(ms).toBeLessThan(1_000);
  });

  it('runs a catastrophic pattern in linear time', () => {
    const validate = compileSchema(JSON.stringify({ properties: { s: { pattern: '^(a+)+$' } } }));
    validate({ s: 'a' });
    const { value, ms } = timed(() => validate({ s: `${'a'.repeat(5_000)}!` }));
    expect(value).toMatchObject({ kind: 'does_not_fit' });
    expect(ms).toBeLessThan(1_000);
  });

  it('gives up where pattern and text together are too much', () => {
    const validate = compileSchema(
      JSON.stringify({ properties: { s: { pattern: '^(a{0,500}b{0,500})*$' } } }),
    );
    const { value, ms } = timed(() => validate({ s: 'ab'.repeat(400_000) }));
    expect(value).toEqual({ kind: 'uncheckable', cause: 'schema_too_costly' });
    expect(ms).toBeLessThan(1_000);
  });

  it('leaves a pattern alone that re2js cannot read', () => {
    expect(check({ properties: { s: { pattern: '^(?=x)y' } } }, { s: 'anything' })).toEqual({ kind: 'fits' });
  });

  it('compiles and checks 500 properties', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`p${i}`, { type: 'string', minLength: 1 }]),
    );
    expect(check({ properties }, { p499: '' })).toMatchObject({ kind: 'does_not_fit' });
  });

  it.each([
    ['an asynchronous schema', { $async: true, type: 'object', required: ['q'] }],
    ['an asynchronous schema below', { properties: { a: { $async: true } } }],
    [
      '2,000 branches',
      { items: { oneOf: Array.from({ length: 2_000 }, (_, i) => ({ required: [`k${i}`] })) } },
    ],
    ['a pattern of 40 KB', { properties: { s: { pattern: `(?i)${'[\\p{L}]'.repeat(6_000)}` } } }],
    [
      '400 patterns',
      {
        patternProperties: Object.fromEntries(
          Array.from({ length: 400 }, (_, i) => [`(\\p{L}{1,30})${i}`, {}]),
        ),
      },
    ],
  ])('checks nothing by %s, and says so at once', (_what, schema) => {
    const { value, ms } = timed(() => check(schema, { s: 'x' }));
    expect(value).toMatchObject({ kind: 'uncheckable' });
    expect(ms).toBeLessThan(500);
  });

  it('takes names of the language for names like any other', () => {
    expect(check({ required: ['constructor'] }, {})).toMatchObject({ kind: 'does_not_fit' });
    expect(check({ properties: { constructor: { type: 'number' } } }, {})).toEqual({ kind: 'fits' });
  });
});
