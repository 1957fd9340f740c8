import type { ActionQuestion, Item } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { PolicyJson } from '../../policy/policy-json.js';
import { policySet } from '../../policy/policy-set.js';
import { askedOnce } from './alike-items.js';

const resource = (id: string, server = 'fs'): ActionQuestion => ({
  kind: 'item',
  item: { kind: 'resource', server, id },
});
const prompt = (id: string): ActionQuestion => ({ kind: 'item', item: { kind: 'prompt', server: 'fs', id } });

/** A set whose one policy is about this item. */
function about(kind: Item['kind'], id: string) {
  const type = kind === 'resource' ? 'UAR::Resource' : 'UAR::Prompt';
  const json = PolicyJson.parse({
    effect: 'forbid',
    principal: { op: 'All' },
    action: { op: 'All' },
    resource: { op: 'All' },
    conditions: [
      {
        kind: 'when',
        body: { '==': { left: { Var: 'resource' }, right: { Value: { __entity: { type, id } } } } },
      },
    ],
  });
  return policySet('v', new Map([['t/one', json]]));
}

describe('items that are asked about', () => {
  const none = policySet('v', new Map());

  it('are one of each kind and server', () => {
    const questions = [resource('a'), resource('b'), prompt('a'), resource('c', 'git'), resource('a')];
    expect(askedOnce(none, 'acme', questions)).toEqual({
      asked: [resource('a'), prompt('a'), resource('c', 'git')],
      answers: [0, 0, 1, 2, 0],
    });
  });

  it('are all others that are no items', () => {
    const questions: ActionQuestion[] = [{ kind: 'list_tools' }, { kind: 'list_tools' }];
    expect(askedOnce(none, 'acme', questions)).toEqual({ asked: questions, answers: [0, 1] });
  });

  it('are those that a policy names, each by itself', () => {
    const questions = [resource('a'), resource('b'), resource('c'), prompt('b')];
    expect(askedOnce(about('resource', 'acme/fs/b'), 'acme', questions)).toEqual({
      asked: [resource('a'), resource('b'), prompt('b')],
      answers: [0, 1, 0, 2],
    });
    expect(askedOnce(about('prompt', 'other/fs/b'), 'acme', questions).answers).toEqual([0, 0, 0, 1]);
  });

  it('are named as policies have to write them', () => {
    const set = about('resource', 'acme/fs/100%25');
    expect(askedOnce(set, 'acme', [resource('a'), resource('100%')]).answers).toEqual([0, 1]);
  });
});
