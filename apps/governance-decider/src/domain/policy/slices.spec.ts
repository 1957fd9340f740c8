import { describe, expect, it } from 'vitest';
import { PolicyJson } from './policy-json.js';
import { policySet } from './policy-set.js';
import { partsOf, slicesOf, type Slice } from './slices.js';

const context = (...steps: string[]): object =>
  steps.reduce<object>((left, attr) => ({ '.': { left, attr } }), { Var: 'context' });
const resource = (attr: string): object => ({ '.': { left: { Var: 'resource' }, attr } });
const server = { __entity: { type: 'UAR::Server', id: 'a/fs' } };

function policy(body: object, action: object = { op: 'All' }): PolicyJson {
  return PolicyJson.parse({
    ...{ effect: 'permit', principal: { op: 'All' }, resource: { op: 'All' }, action },
    conditions: [{ kind: 'when', body }],
  });
}

function slice(body: object): Slice | undefined {
  const set = policySet('v', new Map([['t/one', policy(body)]]));
  return slicesOf(set).find(({ action, part }) => action === 'callTool' && part === 'whole');
}

describe('the slice of an action', () => {
  it('holds the policies whose scope covers the action, by name or by group', () => {
    const listed = (...names: string[]) => ({
      op: 'in',
      entities: names.map((id) => ({ type: 'UAR::Action', id })),
    });
    const set = policySet(
      'v',
      new Map([
        ['t/any', policy(resource('pinned'))],
        ['t/use', policy(resource('enabled'), listed('use'))],
        ['t/invoke', policy(resource('quorum'), listed('invoke'))],
        ['t/approve', policy(resource('parties'), listed('approve'))],
      ]),
    );
    expect(slicesOf(set).map(({ action, policies, attributes }) => [action, policies, attributes])).toEqual([
      ['discoverTool', ['t/any', 't/use'], ['enabled', 'pinned']],
      ['callTool', ['t/any', 't/use', 't/invoke'], ['enabled', 'pinned', 'quorum']],
      ['callToolUnattended', ['t/any', 't/invoke'], ['pinned', 'quorum']],
      ['approve', ['t/any', 't/approve'], ['parties', 'pinned']],
      ['callToolApproved', ['t/any', 't/invoke'], ['pinned', 'quorum']],
      ['viewApproval', ['t/any'], ['pinned']],
    ]);
  });

  it('is steady where no policy reads the call, and in two parts where some do', () => {
    const set = policySet(
      'v',
      new Map([
        ['t/place', policy(resource('pinned'))],
        ['t/role', policy(context('user'))],
        [
          't/call',
          policy(context('args', 'lossless'), { op: '==', entity: { type: 'UAR::Action', id: 'callTool' } }),
        ],
        [
          't/clock',
          policy(context('env', 'now'), { op: '==', entity: { type: 'UAR::Action', id: 'callTool' } }),
        ],
        ['t/fact', policy(context('facts'), { op: '==', entity: { type: 'UAR::Action', id: 'callTool' } })],
      ]),
    );
    const asked = (['discoverTool', 'callTool', 'callToolUnattended'] as const).map((action) =>
      partsOf(set, action).map(({ part, isSteady, policies }) => [part, isSteady, policies]),
    );
    expect(asked).toEqual([
      [['whole', true, ['t/place', 't/role']]],
      [
        ['steady', true, ['t/place', 't/role']],
        ['momentary', false, ['t/call', 't/clock', 't/fact']],
      ],
      [['whole', true, ['t/place', 't/role']]],
    ]);
    const onlyCalls = policySet('v', new Map([['t/call', policy(context())]]));
    expect(partsOf(onlyCalls, 'callTool').map(({ part, isSteady }) => [part, isSteady])).toEqual([
      ['whole', false],
    ]);
  });

  it('knows a value that is looked into from one that is used as it is', () => {
    expect(slice(context('args', 'lossless'))).toMatchObject({
      attributes: ['args', 'lossless'],
      wholes: ['lossless'],
    });
    expect(slice({ '==': { left: context('args'), right: context('facts') } })).toMatchObject({
      wholes: ['args', 'facts'],
    });
    expect(slice({ '==': { left: context(), right: { Record: {} } } })).toMatchObject({ wholes: ['*'] });
    expect(slice({ has: { left: context('args'), attr: ['s', 'x'] } })).toMatchObject({
      attributes: ['args', 's', 'x'],
      wholes: [],
    });
  });

  it('knows a record that is chosen before it is looked into', () => {
    const chosen = { 'if-then-else': { if: { Value: true }, then: context('args'), else: context('args') } };
    expect(slice({ '.': { left: chosen, attr: 'lossless' } })).toMatchObject({
      attributes: ['args', 'lossless'],
      wholes: ['args', 'lossless'],
    });
  });

  it('knows whether tags are read', () => {
    const tag = { left: context('args', 's'), right: { Value: '/path' } };
    expect(slice({ hasTag: tag })).toMatchObject({ readsTags: true, attributes: ['args', 's'] });
    expect(slice(resource('pinned'))).toMatchObject({ readsTags: false });
  });

  it('names the tags that are read, until one is not spelled out', () => {
    const read = (name: object, how: string): object => ({
      [how]: { left: context('args', 's'), right: name },
    });
    const both = { '&&': { left: read({ Value: '/a' }, 'hasTag'), right: read({ Value: '/b' }, 'getTag') } };
    expect(slice(both)?.tags).toEqual(['/a', '/b']);
    expect(slice(resource('pinned'))?.tags).toEqual([]);
    expect(slice(read(context('user'), 'hasTag'))?.tags).toBeUndefined();
  });

  it('names what is asked to be in a set, where the set is used in no other way', () => {
    const contains = (right: object): object => ({ contains: { left: context('args', 'paths'), right } });
    const two = { '||': { left: contains({ Value: '/a' }), right: contains({ Value: '/b' }) } };
    expect(slice(two)).toMatchObject({ members: { paths: ['/a', '/b'] }, wholes: ['paths'] });
    const alsoWhole = { '||': { left: two, right: { isEmpty: { arg: context('args', 'paths') } } } };
    expect(slice(alsoWhole)?.members).toEqual({});
    expect(slice(contains(context('user')))?.members).toEqual({});
  });

  it('names entities, and says where an ancestor is not spelled out', () => {
    const left = { Var: 'resource' };
    expect(slice({ in: { left, right: { Value: server } } })).toMatchObject({
      named: [{ type: 'UAR::Server', id: 'a/fs' }],
      anyAncestor: false,
    });
    expect(slice({ in: { left, right: { Set: [{ Value: server }] } } })).toMatchObject({
      anyAncestor: false,
    });
    expect(slice({ in: { left, right: resource('tenant') } })).toMatchObject({ anyAncestor: true });
    const is = { left, entity_type: 'UAR::Tool', in: resource('tenant') };
    expect(slice({ is })).toMatchObject({ anyAncestor: true });
    expect(slice({ in: { left, right: { Set: [resource('tenant')] } } })).toMatchObject({
      anyAncestor: true,
    });
  });
});
