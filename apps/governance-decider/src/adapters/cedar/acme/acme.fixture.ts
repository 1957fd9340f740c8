import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Caller, ToolFacts, type CallQuestion } from '@uar/contracts';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { ActiveTexts } from '../../../domain/candidate-judge.js';
import { CaseFile } from '../../../domain/cases/case-file.js';
import { Fixtures } from '../../../domain/cases/fixtures.js';
import type { CedarParts } from '../../../domain/decide/cedar-judge.js';
import { questionOf } from '../../../domain/explain/explain-call.js';
import { Candidates } from '../../../domain/lifecycle/candidates.js';
import { folderAlone } from '../../../domain/sets/written.js';
import { checkCandidate } from '../../../domain/policy/check/candidate.js';
import { PolicySets } from '../../../domain/sets/policy-sets.js';
import type { PolicyTexts } from '../../../domain/policy/policy-set.js';
import { slicesOf } from '../../../domain/policy/slices.js';
import { readPolicies } from '../../policies/policy-texts.js';
import { CedarEngine, compileCedar } from '../engine.js';
import { shippedFolder } from '../questions.fixture.js';

const file = CaseFile.parse(parse(readFileSync(join(shippedFolder, 'cases/acme.yaml'), 'utf8')));
export const fixtures = new Fixtures(file, { ask: 'list', principal: 'ann' });
const toolNames = Object.keys(file.tools);
const vocabulary = (pick: 'roles' | 'groups') => [
  ...new Set(Object.values(file.principals).flatMap((principal) => principal[pick])),
];

/** The worked example with the real engine, as the decider holds it. */
export interface AcmeWorld extends Omit<CedarParts, 'remembered'> {
  readonly engine: CedarEngine;
  readonly stage: CedarEngine;
  readonly texts: ActiveTexts;
  readonly active: PolicyTexts;
  readonly candidates: Candidates;
}

export async function startAcme(): Promise<AcmeWorld> {
  const engine = await CedarEngine.start(await compileCedar());
  const active: PolicyTexts = {
    schema: readFileSync(join(shippedFolder, 'schema.cedarschema'), 'utf8'),
    policies: {
      ...(await readPolicies(join(shippedFolder, 'platform'), 'p')),
      ...(await readPolicies(join(shippedFolder, 'examples/acme'), 't')),
    },
  };
  const candidates = new Candidates(await setsOf(active, engine));
  const checked = await engine.rehearse((laboratory) => checkCandidate(active, laboratory));
  if (checked.kind === 'failed' || checked.value.kind === 'unsound') throw new Error(JSON.stringify(checked));
  const { set } = checked.value;
  const published = await engine.publish([
    { ...active, version: set.version, warmUp: [], slices: slicesOf(set) },
  ]);
  if (published.kind === 'failed') throw new Error(published.message);
  return {
    ...{ engine, stage: engine, active, candidates, directory: fixtures.directory() },
    sets: { of: () => set },
    texts: { textsOf: () => active },
    profile: fixtures.profile,
    now: () => fixtures.now,
  };
}

/** The example as the folder of a decider would give it, without cases. */
async function setsOf({ schema, policies }: PolicyTexts, stage: CedarEngine): Promise<PolicySets> {
  const tier = (name: string) =>
    Object.fromEntries(Object.entries(policies).filter(([id]) => id.startsWith(`${name}/`)));
  const source = {
    ...{ schema, platform: tier('p'), tenants: new Map([['acme', tier('t')]]) },
    ...{ unreadable: new Map(), cases: [], brokenCases: [], strays: [] },
  };
  const sets = new PolicySets({
    folder: { read: () => Promise.resolve({ kind: 'read', source }) },
    ...{ written: folderAlone, stage, directory: fixtures.directory(), knownTenants: [] },
    ...{ onSwap: () => undefined, onProblem: () => undefined },
  });
  await sets.reload();
  return sets;
}

const agents = [...Object.keys(file.agents), 'stranger'];

const someCaller: fc.Arbitrary<Caller> = fc
  .record({
    subject: fc.constantFrom(
      ...Object.keys(file.principals).filter((name) => name !== 'bob' && name !== 'xsam'),
    ),
    roles: fc.option(fc.subarray(vocabulary('roles')), { nil: undefined }),
    groups: fc.option(fc.subarray(vocabulary('groups')), { nil: undefined }),
    agent: fc.option(fc.constantFrom(...agents), { nil: undefined, freq: 2 }),
    capabilities: fc.option(fc.subarray<'read' | 'write' | 'network'>(['read', 'write', 'network']), {
      nil: undefined,
      freq: 3,
    }),
    ip: fc.constantFrom('10.20.0.1', '8.8.8.8', undefined),
    channel: fc.constantFrom('api', 'interactive', 'background'),
  })
  .map(({ subject, roles, groups, agent, capabilities, ip, channel }) => {
    const known = fixtures.principal(subject, agent);
    return Caller.parse({
      principal: {
        ...known,
        ...(roles === undefined ? {} : { roles }),
        ...(groups === undefined ? {} : { groups }),
        ...(capabilities === undefined ? {} : { capabilities }),
      },
      ...(ip === undefined ? {} : { ip }),
      ...{ channel, run_id: `run_${'0'.repeat(32)}`, session_id: 's' },
    });
  });

/** A tool of the example, often with other facts; some of them no policy tells apart. */
const someTool: fc.Arbitrary<ToolFacts> = fc
  .record({
    name: fc.constantFrom(...toolNames),
    change: fc.record(
      {
        raw_name: fc.constantFrom('read', 'other', 'a/b', 'transfer'),
        risk: fc.integer({ min: 0, max: 4 }),
        read_only: fc.boolean(),
        destructive: fc.boolean(),
        hints_trusted: fc.boolean(),
        enabled: fc.constantFrom(true, true, true, false),
        pinned: fc.constantFrom(true, true, true, false),
        labels: fc.subarray(['finance', 'prod', 'pii']),
        capabilities: fc.subarray<'read' | 'write' | 'network'>(['read', 'write', 'network']),
        quorum: fc.integer({ min: 1, max: 3 }),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ name, change }) => ToolFacts.parse({ ...fixtures.tool(name), ...change }));

const path = fc.constantFrom('/workspace/a', '/workspace/../etc/passwd', '/etc', '/workspace/.env', 'x', '');

/** Argument texts, some of which no judge reads. */
const someArguments: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('{}') },
  {
    weight: 5,
    arbitrary: fc
      .record(
        {
          path: fc.oneof(
            path,
            fc.integer(),
            fc.constant({ __entity: { type: 'UAR::User', id: 'acme/eve' } }),
          ),
          url: fc.constantFrom('https://docs.acme.com/x', 'https://evil.example', 'http://[::1]', '%%'),
          mirror: fc.constantFrom('https://api.github.com/', 'ftp://x'),
          amount: fc.oneof(fc.constantFrom('99.5', 1e300, null), fc.integer({ min: 0, max: 20_000 })),
          note: fc.string(),
          many: fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { maxLength: 4 }),
        },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
  },
  { weight: 1, arbitrary: fc.constantFrom('{"a":1,"a":2}', '{"a":12345678901234567890}', '{"a":"\\ud800"}') },
  { weight: 1, arbitrary: fc.constantFrom(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`) },
);

export const someCall: fc.Arbitrary<CallQuestion> = fc
  .record({ caller: someCaller, tool: someTool, arguments_json: someArguments })
  .map(questionOf);
