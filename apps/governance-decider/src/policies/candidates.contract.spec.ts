import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replayDecisions, simulateCalls, validatePolicies, writeShadow } from '@uar/contracts';
import { withInProcessBus } from '@uar/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { PolicyHome, ada, forbidOf, tenant } from './policy-desk.fixture.js';

vi.setConfig({ testTimeout: 60_000 });

const keptCases = `
set: tenant:default
principals: { u: { tenant: default, subject: u, roles: [user] } }
tools: { t: { tenant: default, server: time, raw_name: t } }
cases:
  - { case: users call, question: { ask: call, principal: u, tool: t }, decision: allow }
`;

withInProcessBus('a candidate', (connect) => {
  const home = new PolicyHome(connect);
  let starter: Record<string, string>;
  beforeAll(async () => {
    await home.open();
    starter = await home.folderTexts();
    await writeFile(join(home.folder, 'policies/cases/own.yaml'), keptCases);
    const broken = { ...starter, 't/no-time': forbidOf('time') };
    await vi.waitUntil(async () => (await findingsOf('validate', broken)).length > 0, { timeout: 60_000 });
  }, 120_000);
  afterAll(() => home.close());

  /** What each way of trying a candidate holds against it. */
  async function findingsOf(
    way: 'validate' | 'simulate' | 'replay' | 'shadow',
    policies: Record<string, string>,
  ) {
    const answer = await askedOf(way, policies);
    if (answer.kind === 'checked' || answer.kind === 'invalid') return answer.findings.errors;
    throw new Error(`${way}: ${answer.kind}`);
  }

  function askedOf(way: 'validate' | 'simulate' | 'replay' | 'shadow', policies: Record<string, string>) {
    switch (way) {
      case 'validate':
        return home.ask(validatePolicies, { tenant, policies });
      case 'simulate':
        return home.ask(simulateCalls, { tenant, policies, callers: [ada], tools: [] });
      case 'replay':
        return home.ask(replayDecisions, { tenant, policies, limit: 1 });
      case 'shadow':
        return home.ask(writeShadow, { caller: ada, policies });
    }
  }

  it.each([
    [
      'with a misspelled attribute',
      { 't/new': 'forbid (principal, action, resource)\nwhen { resource.readOnyl };' },
      { policy_id: 't/new', line: 2, column: 17, suggestion: 'readOnly' },
    ],
    [
      'with an id that is none',
      { 'No Slash': forbidOf('x') },
      { policy_id: 'No Slash', suggestion: 't/no-slash' },
    ],
    ['that breaks a case of the tenant', { 't/no-time': forbidOf('time') }, { case: 'users call' }],
    [
      'with too many policies',
      Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`t/n${index}`, ''])),
      { message: 'more than 2000 policies' },
    ],
    [
      'with too much text',
      Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`t/n${index}`, ' '.repeat(60_000)])),
      { message: 'longer than 1048576 characters in all' },
    ],
  ])('%s is told the same wherever it is tried', async (_what, more, problem) => {
    const told = await findingsOf('validate', { ...starter, ...more });
    expect(told).toEqual([expect.objectContaining(problem)]);
    for (const way of ['simulate', 'replay', 'shadow'] as const)
      expect(await findingsOf(way, { ...starter, ...more })).toEqual(told);
  });
});
