import { describe, expect, it } from 'vitest';
import { contextReads, mayRead, mentionedIds } from './reads.js';

const variable = { Var: 'context' };
const dot = (left: unknown, attr: string) => ({ '.': { left, attr } });
const readsOf = (body: unknown) => contextReads([{ body }]);

describe('what a policy reads of the context', () => {
  it('is the parts it names, to two steps', () => {
    const tag = { getTag: { left: dot(dot(variable, 'args'), 's'), right: { Value: '/path' } } };
    const now = { '>=': { left: dot(dot(variable, 'env'), 'now'), right: { Value: 1 } } };
    const reads = readsOf({ '&&': { left: tag, right: now } });
    expect(reads).toEqual(new Set(['args.s', 'env.now']));
    expect(mayRead(reads, 'env.now')).toBe(true);
    expect(mayRead(reads, 'facts.hosts')).toBe(false);
  });

  it('is everything of a part that is used whole', () => {
    const reads = readsOf({ '==': { left: dot(variable, 'facts'), right: { Record: {} } } });
    expect(mayRead(reads, 'facts.hosts')).toBe(true);
    expect(mayRead(reads, 'env.now')).toBe(false);
  });

  it('is everything where the context is used whole, also behind a branch', () => {
    const branch = { 'if-then-else': { if: { Value: true }, then: variable, else: variable } };
    expect(mayRead(readsOf(dot(dot(branch, 'env'), 'now')), 'facts.amount')).toBe(true);
    expect(mayRead(readsOf({ '==': { left: variable, right: { Value: 1 } } }), 'env.now')).toBe(true);
  });

  it('counts a presence test of a member, not of a part that is always there', () => {
    expect(readsOf({ has: { left: dot(variable, 'facts'), attr: 'amount' } })).toEqual(
      new Set(['facts.amount']),
    );
    expect(readsOf({ has: { left: variable, attr: ['env', 'ip'] } })).toEqual(new Set(['env.ip']));
    expect(readsOf({ has: { left: variable, attr: 'facts' } })).toEqual(new Set());
  });

  it('is every argument where a bag of them is named outright', () => {
    const bag = { Value: { __entity: { type: 'UAR::ArgStr', id: 'args' } } };
    const reads = readsOf({ hasTag: { left: bag, right: { Value: '/path' } } });
    expect(mayRead(reads, 'args.s')).toBe(true);
    expect(mayRead(reads, 'env.now')).toBe(false);
  });

  it('is nothing where only principal and resource are read', () => {
    expect(readsOf(dot({ Var: 'resource' }, 'env'))).toEqual(new Set());
  });
});

describe('entities that a policy mentions', () => {
  it('are found in its scope and its conditions', () => {
    const json = {
      resource: { op: '==', entity: { type: 'UAR::Tool', id: 'a/b/c' } },
      conditions: [
        { body: { '==': { left: {}, right: { Value: { __entity: { type: 'UAR::Tool', id: 'a/b/d' } } } } } },
      ],
    };
    expect(mentionedIds(json, 'UAR::Tool').toSorted()).toEqual(['a/b/c', 'a/b/d']);
  });
});
