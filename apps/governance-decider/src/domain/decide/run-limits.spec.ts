import { Caller, ToolFacts, type CallQuestion, type RunLimits } from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import { describe, expect, it } from 'vitest';
import type { Directory } from '../question/directory.js';
import { refusalOfTool } from './before-cedar.js';
import { decisionKey } from './memory/decision-cache.js';
import { PlainJudge } from './plain-judge.js';
import { callUnderRun, releaseUnderRun, sightUnderRun } from './run-limits.js';
import { deny, type CallVerdict } from './verdict.js';

const now = 1_800_000_000_000;
const tool = ToolFacts.parse({
  ...{ tenant: 'acme', server: 'docs', raw_name: 'search', source: 'mcp', family: 'mcp' },
  ...{ capabilities: ['read', 'network'], risk: 1, read_only: true, destructive: false, idempotent: true },
  ...{ open_world: true, hints_trusted: true, enabled: true, pinned: true, quorum: 1, labels: [] },
  extractors: { paths: [], hosts: [], recipients: [] },
  secret_pointers: [],
  definition_digest: `sha256:${'0'.repeat(64)}`,
});
const callerIn = (run_limits?: RunLimits, principal: object = {}): Caller =>
  Caller.parse({
    principal: {
      ...{ issuer: 'i', subject: 'ann', tenant: 'acme', kind: 'user', roles: ['user'], groups: [] },
      ...{ scopes: [], mfa: false, claims: {}, expires_at: now + 60_000 },
      ...principal,
    },
    ...{ channel: 'api', run_id: `run_${'0'.repeat(32)}`, session_id: 's', run_limits },
  });
const questionOf = (caller: Caller): CallQuestion => ({
  call_id: `call_${'0'.repeat(32)}` as CallQuestion['call_id'],
  ...{ caller, tool, arguments_json: '{}', arguments_digest: argumentsDigest('{}') },
});
const withApproval = (tool_approval: RunLimits['tool_approval']) => callerIn({ tool_approval });

const allow: CallVerdict = { kind: 'allow', determining: ['t/a'] };
const asks: CallVerdict = { kind: 'require_approval', determining: ['p/gate'], reasons: ['risk'] };
const denied = deny('policy_denied', 'forbidden', ['p/x']);

describe('a verdict in a run', () => {
  it.each<[RunLimits['tool_approval'], CallVerdict, object]>([
    ['auto', allow, allow],
    ['auto', asks, asks],
    ['ask', allow, { kind: 'require_approval', determining: ['t/a'], reasons: [expect.any(String)] }],
    [
      'ask',
      asks,
      { kind: 'require_approval', determining: ['p/gate'], reasons: ['risk', expect.any(String)] },
    ],
    ['deny', allow, allow],
    ['deny', asks, deny('run_denied', 'run_asks_nobody', ['p/gate'])],
    ['auto', denied, denied],
    ['ask', denied, denied],
    ['deny', denied, denied],
  ])('that says %s turns %o into %o', (said, verdict, expected) => {
    expect(callUnderRun(verdict, withApproval(said))).toEqual(expected);
  });

  it('is itself where the run takes nothing away', () => {
    for (const verdict of [allow, asks, denied]) expect(callUnderRun(verdict, callerIn())).toBe(verdict);
  });

  it('is no release where nobody may be asked any more', () => {
    const release = (verdict: CallVerdict, said: RunLimits['tool_approval']) =>
      releaseUnderRun({ version: 'v1', verdict }, withApproval(said)).verdict;
    expect(release(allow, 'ask')).toBe(allow);
    expect(release(allow, 'deny')).toMatchObject({ kind: 'deny', outcome: 'run_denied' });
    expect(release(asks, 'deny')).toMatchObject({ kind: 'deny', outcome: 'run_denied' });
    expect(release(denied, 'deny')).toBe(denied);
  });

  it('is hinted at as always needing a human where the run always asks, and never shows what is hidden', () => {
    const seen = { kind: 'visible', approval: 'never' } as const;
    expect(sightUnderRun(seen, withApproval('ask'))).toEqual({ kind: 'visible', approval: 'always' });
    expect(sightUnderRun(seen, withApproval('auto'))).toBe(seen);
    expect(sightUnderRun({ kind: 'hidden' }, withApproval('ask'))).toEqual({ kind: 'hidden' });
  });
});

describe('capabilities', () => {
  it.each<[string, string[] | undefined, string[] | undefined, string | undefined]>([
    ['nobody lists any', undefined, undefined, undefined],
    ['both lists have what the tool needs', ['read', 'network'], ['network', 'read', 'write'], undefined],
    ['the principal lacks one', ['read'], ['read', 'network'], 'capability_missing'],
    ['the run lacks one', ['read', 'network'], ['read'], 'run_capability_missing'],
    ['the run has none', undefined, [], 'run_capability_missing'],
  ])('where %s', (_what, own, ofRun, cause) => {
    const limits = ofRun === undefined ? undefined : { tool_approval: 'auto', capabilities: ofRun };
    const caller = callerIn(limits as RunLimits | undefined, own === undefined ? {} : { capabilities: own });
    expect(refusalOfTool(questionOf(caller))?.cause).toBe(cause);
  });
});

it('remembers a decision for the limits of its run alone', () => {
  const ground = { policyVersion: 'v1', directoryRevision: 0, readsRun: false };
  const limits: (RunLimits | undefined)[] = [
    undefined,
    { tool_approval: 'ask' },
    { tool_approval: 'auto', capabilities: ['read'] },
    { tool_approval: 'auto', capabilities: [] },
  ];
  const keys = limits.map((one) => decisionKey(questionOf(callerIn(one)), ground, 'x'));
  expect(new Set(keys).size).toBe(limits.length);
});

describe('without Cedar', () => {
  const directory: Directory = {
    revision: 0,
    tenant: () => ({
      ...{ killSwitch: false, enabledFamilies: ['mcp'], maxUnattendedRisk: 1 },
      ...{ approvalNeedsMfa: false, approvalNeedsInteractive: false },
    }),
    agent: (_, id) => (id === 'bot' ? { owner: 'ann', maxRisk: 0, suspended: false } : undefined),
    isUserSuspended: () => false,
  };
  const judge = new PlainJudge({ directory, now: () => now });
  const votes = { approvalId: 'a', votes: [], requestedAt: now, expiresAt: now + 1_000 };

  it('a run that asks always is released by the vote of an administrator, not by none', async () => {
    const question = questionOf(withApproval('ask'));
    expect((await judge.judgeCall(question)).verdict).toMatchObject({ kind: 'require_approval' });
    expect((await judge.judgeRelease(question, votes)).verdict).toMatchObject({ kind: 'require_approval' });
    const approver = callerIn(undefined, { subject: 'ada', roles: ['admin'] }).principal;
    const voted = { ...votes, votes: [{ principal: approver, channel: 'interactive' as const }] };
    expect((await judge.judgeRelease(question, voted)).verdict).toMatchObject({ kind: 'allow' });
    expect((await judge.judgeRelease(questionOf(withApproval('deny')), voted)).verdict).toMatchObject({
      outcome: 'run_denied',
    });
  });

  it('a tool above the ceiling of the agent is unknown to it', async () => {
    const question = questionOf(callerIn(undefined, { agent_id: 'bot' }));
    expect((await judge.judgeCall(question)).verdict).toMatchObject({
      ...{ kind: 'deny', outcome: 'unknown_tool', cause: 'above_agent_risk' },
    });
    expect(await judge.sights(question.caller, [tool, { ...tool, risk: 0 }])).toMatchObject([
      { kind: 'hidden' },
      { kind: 'visible' },
    ]);
  });
});
