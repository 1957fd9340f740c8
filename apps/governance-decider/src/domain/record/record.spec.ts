import { CallQuestion, ToolFacts, type RecordedArguments } from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../facts/argument-facts.js';
import type { FactName } from '../facts/extract.js';
import type { PolicyJson } from '../policy/policy-json.js';
import { policySet } from '../policy/policy-set.js';
import type { DecisionNote } from './decision-note.js';
import { valueReads, valueReadsBy, type ValueReads } from './pointer-reads.js';
import { lacking, readerOf, recordArguments, recordedText } from './recorded-arguments.js';
import { recordedFacts } from './recorded-facts.js';
import { isSecret } from './secret-tags.js';

const tool = ToolFacts.parse({
  ...{ tenant: 'a', server: 'fs', raw_name: 'read', source: 'mcp', family: 'mcp', capabilities: ['read'] },
  ...{ risk: 0, read_only: true, destructive: false, idempotent: true, open_world: false, labels: [] },
  ...{ hints_trusted: true, enabled: true, pinned: true, quorum: 1, secret_pointers: [] },
  extractors: { paths: ['/path'], hosts: ['/url'], recipients: ['/to'], amount: '/amount' },
  definition_digest: `sha256:${'a'.repeat(64)}`,
});
const everything: ValueReads = { tags: new Set(), any: true, facts: new Set() };
const naming = (...tags: string[]): ValueReads => ({ tags: new Set(tags), any: false, facts: new Set() });
const anyFacts: ReadonlySet<FactName> = new Set(['pathRoots', 'amount']);

function read(recorded: RecordedArguments) {
  if (recorded.kind !== 'read') throw new Error(recorded.kind);
  return recorded;
}

describe('what is kept of arguments', () => {
  const text = '{"path":"/w/a","token":"hush","n":5,"list":["x",1],"none":null,"deep":{"flag":true}}';

  it('is every tag with its type, and the values that policies name', () => {
    const { tags, values, nulls } = read(recordArguments(text, tool, naming('/path', '/n', '/list/*')));
    expect(tags).toEqual({
      ...{ s: ['/path', '/token'], n: ['/n'], d: ['/n'], b: ['/deep/flag'] },
      l: ['/list/*', '/list/*:number'],
    });
    expect(values).toEqual({
      ...{ s: { '/path': '/w/a' }, n: { '/n': 5 }, d: { '/n': '5.0' }, b: {} },
      l: { '/list/*': ['x'] },
    });
    expect(nulls).toEqual(['/none']);
  });

  it('is never a value at a secret pointer, nor a fact that is made of one', () => {
    const secret = { ...tool, secret_pointers: ['/token', '/list', '/amount', '/path'] };
    const reads = naming('/path', '/token', '/list/*', '/list/*:number', '/amount', '/n');
    const sent = text.replace('{', '{"amount":12.5,');
    const recorded = read(recordArguments(sent, secret, reads));
    expect(recorded.values).toEqual({ s: {}, n: { '/n': 5 }, d: { '/n': '5.0' }, b: {}, l: {} });
    expect(recorded.facts).toMatchObject({ pathRoots: [], hidden: ['pathRoots', 'amount'] });
    expect(JSON.stringify(recorded)).not.toMatch(/hush|12\.5/);
    expect(lacking(recorded, secret, { ...naming('/n'), facts: anyFacts })).toEqual(['/amount', '/path']);
    expect(lacking(recorded, secret, naming('/token'))).toEqual(['/token']);
  });

  it('is bounded', () => {
    const large = JSON.stringify({
      path: 'x'.repeat(8_000),
      other: 'y'.repeat(8_000),
      more: 'z'.repeat(8_000),
    });
    expect(recordArguments(large, tool, naming('/path')).kind).toBe('read');
    expect(recordArguments(large, tool, naming('/path', '/other', '/more')).kind).toBe('left_out');
    expect(recordArguments('{"a":1,"a":2}', tool, naming('/a'))).toEqual({ kind: 'rejected' });
  });

  it('reads like the arguments themselves wherever every value was named', () => {
    const leaf = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.double({ noNaN: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { maxLength: 3 }),
    );
    const names = fc.constantFrom('path', 'url', 'to', 'amount', 'n', 'a*b', 'x/y');
    const argument = fc.dictionary(names, fc.oneof(leaf, fc.dictionary(names, leaf, { maxKeys: 3 })));
    const factsRead = fc.subarray<FactName>(['pathRoots', 'hosts', 'recipientDomains', 'amount']);
    fc.assert(
      fc.property(argument, factsRead, fc.boolean(), (value, facts, declares) => {
        const text = JSON.stringify(value);
        const about = declares ? tool : { ...tool, extractors: { paths: [], hosts: [], recipients: [] } };
        const whole = readArguments(text, about.extractors, new Set(facts));
        const tags =
          whole.kind === 'read' ? Object.values(whole.bags).flatMap((bag) => Object.keys(Object(bag))) : [];
        const reader = readerOf(recordArguments(text, about, naming(...tags)));
        expect(reader(recordedText, about.extractors, new Set(facts))).toEqual(whole);
      }),
    );
  });
});

describe('secret tags', () => {
  it.each([
    ['/token', '/token', true],
    ['/auth/token', '/auth', true],
    ['/tokens', '/token', false],
    ['/list/*/key', '/list/*/key', true],
    ['/list/*/key', '/list/0/key', true],
    ['/list/*:number', '/list/*', true],
    ['/a~2b', '/a*b', false],
    ['/a~2b', '/*', true],
    ['/x~1y', '/x~1y', true],
    ['/other', '/token', false],
  ])('%s under %s: %s', (tag, pointer, secret) => {
    expect(isSecret(tag, [pointer])).toBe(secret);
  });
});

/** As Cedar writes policies in JSON. */
const context = (...steps: string[]): unknown =>
  steps.reduce<unknown>((left, attr) => ({ '.': { left, attr } }), { Var: 'context' });
const getTag = (left: unknown, right: unknown) => ({ getTag: { left, right } });
const policy = (body: unknown, change: Partial<PolicyJson> = {}): PolicyJson => ({
  ...{ effect: 'forbid', principal: { op: 'All' }, action: { kind: 'any' }, resource: { op: 'All' } },
  conditions: [{ kind: 'when', body }],
  ...change,
});

describe('what policies read', () => {
  const of = (...policies: PolicyJson[]) =>
    valueReads(policySet('v', new Map(policies.map((one, at) => [`t/${at}`, one]))), tool);

  it('is the tags that they name', () => {
    const body = {
      '&&': {
        left: getTag(context('args', 's'), { Value: '/path' }),
        right: {
          contains: { left: getTag(context('args', 'l'), { Value: '/list/*' }), right: { Value: 'x' } },
        },
      },
    };
    expect(of(policy(body))).toMatchObject({ tags: new Set(['/path', '/list/*']), any: false });
  });

  it('is any value where a tag or a bag is computed', () => {
    const computed = getTag(context('args', 's'), context('env', 'runId'));
    expect(of(policy(computed))).toMatchObject({ any: true });
    const either = { 'if-then-else': { if: true, then: context('args', 's'), else: context('args', 's') } };
    expect(of(policy(getTag(either, { Value: '/a' })))).toMatchObject({ tags: new Set(['/a']), any: false });
  });

  it('is nothing of an argument in a claim of the principal or in whether a tag is there', () => {
    const claim = getTag({ Var: 'principal' }, context('env', 'runId'));
    const there = { hasTag: { left: context('args', 's'), right: { Value: '/path' } } };
    expect(of(policy(claim), policy(there))).toMatchObject({ tags: new Set(), any: false });
  });

  it('is only what policies about the tool and about somebody who asks read', () => {
    const body = getTag(context('args', 's'), { Value: '/path' });
    const elsewhere = policy(body, {
      resource: { op: 'in', entity: { type: 'UAR::Server', id: 'a/other' } },
    });
    expect(of(elsewhere)).toMatchObject({ tags: new Set() });
    const ann = { type: 'UAR::User', id: 'a/ann' } as const;
    const set = policySet('v', new Map([['t/x', policy(body, { principal: { op: '==', entity: ann } })]]));
    const by = (id: string) => valueReadsBy(set, tool, [{ uid: { type: 'UAR::User', id }, ancestors: [] }]);
    expect(by('a/ann')).toMatchObject({ tags: new Set(['/path']) });
    expect(by('a/bob')).toMatchObject({ tags: new Set() });
  });
});

describe('a record', () => {
  it('is the same for two tokens of a person, and holds neither token nor arguments', () => {
    const note = (expires: number): DecisionNote => ({
      at: 1,
      question: CallQuestion.parse({
        call_id: `call_${'c'.repeat(32)}`,
        caller: {
          principal: {
            ...{ issuer: 'i', subject: 'ann', tenant: 'a', kind: 'user', roles: [], groups: [], scopes: [] },
            ...{ mfa: false, claims: {}, expires_at: expires },
          },
          ...{ channel: 'api', run_id: `run_${'0'.repeat(32)}`, session_id: String(expires) },
        },
        tool,
        arguments_json: '{"q":"hush"}',
        arguments_digest: argumentsDigest('{"q":"hush"}'),
      }),
      profile: 'minimal',
      set: policySet('v', new Map()),
      directory: { tenants: new Map(), agents: new Map(), suspended: [] },
      judged: { version: 'v', verdict: { kind: 'allow', determining: [] } },
    });
    expect(recordedFacts(note(1))).toEqual(recordedFacts(note(2)));
    expect(JSON.stringify(recordedFacts(note(1)))).not.toContain('hush');
    expect(lacking(recordedFacts(note(1)).arguments, tool, everything)).toEqual(['/q']);
  });
});
