import { expect, it } from 'vitest';
import { CaseFile } from '../cases/case-file.js';
import { Fixtures } from '../cases/fixtures.js';
import { PolicyJson } from './policy-json.js';
import { policySet } from './policy-set.js';
import { toolClass } from './tool-class.js';

const file = CaseFile.parse({
  set: 'platform',
  principals: { ann: { tenant: 'acme', subject: 'ann' } },
  tools: {
    inside: { tenant: 'acme', server: 'web', raw_name: 'get' },
    outside: { tenant: 'acme', server: 'docs', raw_name: 'get' },
  },
  cases: [{ case: 'none', question: { ask: 'list', principal: 'ann' } }],
});
const fixtures = new Fixtures(file, { ask: 'list', principal: 'ann' });

function classesUnder(server?: string): readonly string[] {
  const resource =
    server === undefined ? { op: 'All' } : { op: 'in', entity: { type: 'UAR::Server', id: server } };
  const policy = PolicyJson.parse({
    ...{ effect: 'forbid', principal: { op: 'All' }, resource, conditions: [] },
    action: { op: '==', entity: { type: 'UAR::Action', id: 'callToolApproved' } },
  });
  const set = policySet('v1', new Map([['t/release', policy]]));
  return ['inside', 'outside'].map((name) => toolClass(fixtures.tool(name), set));
}

it('tells servers apart that only a policy about releases names', () => {
  const [inside, outside] = classesUnder('acme/web');
  expect(inside).not.toBe(outside);
});

it('takes tools for equal that no policy can tell apart', () => {
  const [inside, outside] = classesUnder();
  expect(inside).toBe(outside);
});
