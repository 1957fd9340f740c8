import { Caller, ToolFacts, type CallQuestion } from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import fc, { type Arbitrary } from 'fast-check';
import type { Directory } from '../domain/question/directory.js';

/** When every call of a proof is asked. */
export const now = 1_800_000_000_000;

const tool = fc
  .record({
    ...{ server: fc.constantFrom('fs', 'db'), raw_name: fc.constantFrom('read', 'write') },
    ...{ risk: fc.integer({ min: 0, max: 4 }), read_only: fc.boolean(), destructive: fc.boolean() },
    ...{ open_world: fc.boolean(), hints_trusted: fc.boolean(), enabled: fc.boolean(), pinned: fc.boolean() },
    capabilities: fc.uniqueArray(fc.constantFrom('read', 'write', 'execute'), { maxLength: 2 }),
    labels: fc.uniqueArray(fc.constantFrom('pii', 'prod'), { maxLength: 2 }),
  })
  .map((facts) =>
    ToolFacts.parse({
      ...{ tenant: 'a', source: 'mcp', family: 'mcp', idempotent: true, quorum: 1, secret_pointers: [] },
      extractors: { paths: ['/path'], hosts: [], recipients: [] },
      definition_digest: `sha256:${'0'.repeat(64)}`,
      ...facts,
    }),
  );

const caller = fc
  .record({
    subject: fc.constantFrom('u', 'v'),
    roles: fc.uniqueArray(fc.constantFrom('r', 's', 't'), { maxLength: 2 }),
    groups: fc.uniqueArray(fc.constantFrom('x', 'y'), { maxLength: 2 }),
    claims: fc.dictionary(fc.constantFrom('clearance', 'department'), fc.constantFrom('a', 'c2')),
    agent_id: fc.option(fc.constant('g'), { nil: undefined }),
    mfa: fc.boolean(),
  })
  .chain((principal) =>
    fc.constantFrom('interactive', 'api', 'background').map((channel) =>
      Caller.parse({
        principal: {
          ...{ issuer: 'i', tenant: 'a', kind: 'user', scopes: [], expires_at: now + 60_000 },
          ...principal,
        },
        ...{ channel, run_id: `run_${'0'.repeat(32)}`, session_id: '' },
      }),
    ),
  );

const argumentText = fc
  .record(
    {
      path: fc.constantFrom('/workspace/a', '/etc/passwd', 'a'),
      n: fc.integer({ min: -3, max: 9 }),
      big: fc.constant(1e300),
    },
    { requiredKeys: [] },
  )
  .map((found) => JSON.stringify(found));

export const callQuestion: Arbitrary<CallQuestion> = fc
  .record({ tool, caller, text: argumentText })
  .map(({ text, ...asked }) => ({
    ...asked,
    call_id: `call_${'0'.repeat(32)}` as CallQuestion['call_id'],
    arguments_json: text,
    arguments_digest: argumentsDigest(text),
  }));

export const directory: Directory = {
  revision: 0,
  tenant: () => ({
    ...{ killSwitch: false, enabledFamilies: ['mcp'], maxUnattendedRisk: 2 },
    ...{ approvalNeedsMfa: false, approvalNeedsInteractive: false },
  }),
  agent: () => ({ owner: 'u', class: 'coder', maxRisk: 3, suspended: false }),
  isUserSuspended: () => false,
};
