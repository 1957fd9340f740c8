import { expect, it } from 'vitest';
import type { PolicyJson } from '../policy-json.js';
import { problemsOfPolicy } from './policy-rules.js';
import { PolicyText } from './policy-text.js';

it('a policy does not name a bag of arguments: what reads policies would not see that it reads arguments', () => {
  const text = 'forbid (principal, action, resource)\nwhen { UAR::ArgStr::"args".hasTag("/path") };';
  const bag = { Value: { __entity: { type: 'UAR::ArgStr', id: 'args' } } };
  const json: PolicyJson = {
    effect: 'forbid',
    ...{ principal: { op: 'All' }, action: { kind: 'any' }, resource: { op: 'All' } },
    conditions: [{ kind: 'when', body: { hasTag: { left: bag, right: { Value: '/path' } } } }],
  };
  const [problem] = problemsOfPolicy('t/x', { json, text: new PolicyText(text) }, []);
  expect(problem).toMatchObject({ severity: 'error', line: 2, column: 8 });
  expect(problem?.message).toContain('context.args');
});
