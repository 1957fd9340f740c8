import { describe, expect, it } from 'vitest';
import { PolicyJson } from '../../policy-json.js';
import { policySet } from '../../policy-set.js';
import { dodgedForbids } from './dodge-lint.js';

const bag = { '.': { left: { '.': { left: { Var: 'context' }, attr: 'args' } }, attr: 's' } } as const;
const side = (left: unknown, right: unknown) => ({ left: left, right: right });
const has = (pointer = '/path') => ({ hasTag: side({ ...bag }, { Value: pointer }) });
const get = (pointer = '/path') => ({ getTag: side({ ...bag }, { Value: pointer }) });
const isEtc = (pointer = '/path') => ({ like: { left: get(pointer), pattern: ['Wildcard'] } });
const both = (left: unknown, right: unknown) => ({ '&&': side(left, right) });
const either = (left: unknown, right: unknown) => ({ '||': side(left, right) });
const not = (arg: unknown) => ({ '!': { arg } });
const suspended = { '.': { left: { Var: 'principal' }, attr: 'suspended' } };
const reading = both(has(), isEtc());

const group = { op: 'in', entity: { type: 'UAR::Action', id: 'invoke' } };
const server = { op: 'in', entity: { type: 'UAR::Server', id: 'acme/fs' } };
const tool = { op: '==', entity: { type: 'UAR::Tool', id: 'acme/fs/read' } };
const anyone = { op: 'All' };

interface Sketch {
  readonly effect?: 'permit' | 'forbid';
  readonly action?: object;
  readonly resource?: object;
  readonly when?: unknown;
  readonly unless?: unknown;
}

function policy({ effect = 'forbid', action = group, resource = server, when, unless }: Sketch): PolicyJson {
  const conditions = [
    ...(when === undefined ? [] : [{ kind: 'when', body: when }]),
    ...(unless === undefined ? [] : [{ kind: 'unless', body: unless }]),
  ];
  return PolicyJson.parse({ effect, principal: anyone, action, resource, conditions });
}

function dodged(...sketches: readonly Sketch[]): readonly (string | undefined)[] {
  const parsed = sketches.map((sketch, index): [string, PolicyJson] => [`t/${index}`, policy(sketch)]);
  return dodgedForbids(policySet('v', new Map(parsed)), {}).map((problem) => problem.policy);
}

describe('a forbid that a missing argument dodges', () => {
  it.each<[string, Sketch]>([
    ['reads it behind its presence', { when: reading }],
    ['reads it in the last of several demands', { when: both(suspended, reading) }],
    ['reads it in one of two alternatives', { when: either(suspended, reading) }],
    ['reads it besides an unless', { when: reading, unless: suspended }],
  ])('%s', (_what, sketch) => {
    expect(dodged(sketch)).toEqual(['t/0']);
  });

  it.each<[string, readonly Sketch[]]>([
    ['a permit', [{ effect: 'permit', when: reading }]],
    ['a forbid that reads no argument', [{ when: suspended }]],
    ['a forbid that fires unless the argument is there and right', [{ unless: reading }]],
    ['a forbid that fires when the argument is missing', [{ when: either(not(has()), isEtc()) }]],
    ['a guard beside it', [{ when: reading }, { unless: has() }]],
    ['a guard of the whole tenant', [{ when: reading }, { unless: has(), resource: anyone }]],
    ['a guard of the tool\u2019s server', [{ when: reading, resource: tool }, { unless: has() }]],
    [
      'a guard of the question asked first',
      [
        { when: reading },
        { unless: has(), action: { op: '==', entity: { type: 'UAR::Action', id: 'callTool' } } },
      ],
    ],
  ])('is not %s', (_what, sketches) => {
    expect(dodged(...sketches)).toEqual([]);
  });

  it.each<[string, Sketch]>([
    ['of another argument', { unless: has('/other') }],
    [
      'of another server',
      { unless: has(), resource: { op: 'in', entity: { type: 'UAR::Server', id: 'acme/web' } } },
    ],
    ['that asks for more', { unless: either(has(), suspended) }],
    [
      'of the release alone',
      { unless: has(), action: { op: '==', entity: { type: 'UAR::Action', id: 'callToolApproved' } } },
    ],
    ['that permits', { effect: 'permit', unless: has() }],
  ])('is not covered by a guard %s', (_what, guard) => {
    expect(dodged({ when: reading }, guard)).toContain('t/0');
  });
});
