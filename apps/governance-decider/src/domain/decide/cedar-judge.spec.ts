import { Caller, ToolFacts, type CallQuestion, type Principal } from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import { describe, expect, it } from 'vitest';
import type { QuestionBatch, RawAnswer } from '../cedar/cedar.js';
import { PolicyJson } from '../policy/policy-json.js';
import { policySet } from '../policy/policy-set.js';
import type { Directory } from '../question/directory.js';
import { CedarJudge } from './cedar-judge.js';
import { PlainJudge } from './plain-judge.js';

const now = 1_800_000_000_000;
const tool = ToolFacts.parse({
  ...{ tenant: 'acme', server: 'docs', raw_name: 'search', source: 'mcp', family: 'mcp' },
  ...{ capabilities: ['read'], risk: 0, read_only: true, destructive: false, idempotent: true },
  ...{ open_world: false, hints_trusted: true, enabled: true, pinned: true, quorum: 1, labels: [] },
  extractors: { paths: [], hosts: [], recipients: [] },
  secret_pointers: [],
  definition_digest: `sha256:${'0'.repeat(64)}`,
});
const caller = Caller.parse({
  principal: {
    ...{ issuer: 'i', subject: 'ann', tenant: 'acme', kind: 'user', roles: ['user'], groups: [], scopes: [] },
    ...{ mfa: false, claims: {}, expires_at: now + 60_000 },
  },
  ...{ channel: 'api', run_id: `run_${'0'.repeat(32)}`, session_id: 's' },
});

function question(change: Partial<CallQuestion> = {}, argumentText = '{}'): CallQuestion {
  return {
    call_id: `call_${'0'.repeat(32)}` as CallQuestion['call_id'],
    caller,
    tool,
    arguments_json: argumentText,
    arguments_digest: argumentsDigest(argumentText),
    ...change,
  };
}

const as = (change: Partial<Principal>): Partial<CallQuestion> => ({
  caller: { ...caller, principal: { ...caller.principal, ...change } },
});

const directory: Directory = {
  revision: 0,
  tenant: () => ({
    killSwitch: false,
    enabledFamilies: ['mcp'],
    maxUnattendedRisk: 1,
    approvalNeedsMfa: false,
    approvalNeedsInteractive: false,
  }),
  agent: () => undefined,
  isUserSuspended: () => false,
};

/** A permit of everything; its condition reads a part of the context, such as `env.now`. */
function permit(reads?: string): PolicyJson {
  const steps = reads?.split('.') ?? [];
  const body = steps.reduce<object>((left, attr) => ({ '.': { left, attr } }), { Var: 'context' });
  return PolicyJson.parse({
    ...{ effect: 'permit', principal: { op: 'All' }, resource: { op: 'All' }, action: { op: 'All' } },
    conditions: reads === undefined ? [] : [{ kind: 'when', body }],
  });
}

const yes: RawAnswer = { kind: 'decided', decision: 'allow', reasons: ['t/all'], errors: [] };
const no: RawAnswer = { kind: 'decided', decision: 'deny', reasons: [], errors: [] };

/** A judge over an engine that gives these answers and remembers what it was asked. */
function judgeOver(answer: (batch: QuestionBatch) => RawAnswer[], reads?: string, entries = 10) {
  const asked: QuestionBatch[] = [];
  const set = policySet('v1', new Map([['t/all', permit(reads)]]));
  const judge = new CedarJudge({
    sets: { of: (tenant) => (tenant === 'acme' ? set : undefined) },
    engine: {
      ask: (batch) => {
        asked.push(batch);
        return Promise.resolve(answer(batch));
      },
    },
    ...{ directory, profile: 'minimal', now: () => now, remembered: entries },
  });
  return { judge, asked };
}

const always = (answer: RawAnswer) => (batch: QuestionBatch) => batch.questions.map(() => answer);

describe('a call', () => {
  it('is three questions in one message, and allowed by three times yes', async () => {
    const { judge, asked } = judgeOver(always(yes));
    expect(await judge.judgeCall(question())).toMatchObject({
      version: 'v1',
      verdict: { kind: 'allow', determining: ['t/all'] },
    });
    expect(asked.map(({ questions }) => questions.map(({ action }) => action))).toEqual([
      ['discoverTool', 'callTool', 'callToolUnattended'],
    ]);
  });

  it.each([
    ['nothing of it known', [no, no, no], { kind: 'deny', outcome: 'unknown_tool', cause: 'not_permitted' }],
    ['only seen', [yes, no, no], { kind: 'deny', outcome: 'policy_denied', cause: 'not_permitted' }],
    ['not unattended', [yes, yes, no], { kind: 'require_approval' }],
    ['unattended but not at all', [yes, no, yes], { kind: 'deny', outcome: 'policy_denied' }],
    ['two answers of three', [yes, yes], { kind: 'deny', outcome: 'policy_denied', cause: 'engine_failed' }],
    ['no answer', [], { kind: 'deny', outcome: 'unknown_tool', cause: 'engine_failed' }],
  ] as const)('%s', async (_what, answers, verdict) => {
    const { judge } = judgeOver(() => [...answers]);
    expect((await judge.judgeCall(question())).verdict).toMatchObject(verdict);
  });

  it('of a tenant without any set is of no known tool', async () => {
    const { judge, asked } = judgeOver(always(yes));
    const other = as({ tenant: ToolFacts.shape.tenant.parse('other') });
    expect((await judge.judgeCall(question(other))).verdict).toMatchObject({ cause: 'policies_unavailable' });
    expect(asked).toEqual([]);
  });

  it('of a principal that expired 30 s ago is refused, not a moment sooner', async () => {
    const { judge } = judgeOver(always(yes));
    const at = async (expires_at: number) => (await judge.judgeCall(question(as({ expires_at })))).verdict;
    expect(await at(now - 29_999)).toMatchObject({ kind: 'allow' });
    expect(await at(now - 30_000)).toMatchObject({ kind: 'deny', cause: 'principal_expired' });
  });

  it('of text that is no Unicode never reaches the engine', async () => {
    const { judge, asked } = judgeOver(always(yes));
    for (const bad of [{ subject: '\ud800' }, { roles: ['\udc00'] }, { claims: { a: '\ud800' } }])
      expect((await judge.judgeCall(question(as(bad)))).verdict).toMatchObject({ cause: 'request_invalid' });
    expect(asked).toEqual([]);
  });

  it('with arguments beyond the bounds is refused, but unknown to whoever may not see the tool', async () => {
    const seen = judgeOver(always(yes));
    expect((await seen.judge.judgeCall(question({}, '[]'))).verdict).toMatchObject({
      cause: 'args_rejected',
    });
    const unseen = judgeOver(always(no));
    expect((await unseen.judge.judgeCall(question({}, '[]'))).verdict).toMatchObject({
      outcome: 'unknown_tool',
    });
  });
});

describe('remembered decisions', () => {
  it('are found for the same facts in another call, run and token', async () => {
    const { judge, asked } = judgeOver(always(yes));
    await judge.judgeCall(question());
    const later = { ...caller, principal: { ...caller.principal, expires_at: now + 1 }, session_id: 'other' };
    await judge.judgeCall(question({ caller: later }));
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['whether arguments could be read', question({}, '{"a":9007199254740993}')],
    ['the tool', question({ tool: { ...tool, risk: 1 } })],
    ['roles', question(as({ roles: ['user', 'admin'] }))],
    ['the subject', question(as({ subject: 'bob' }))],
    ['claims', question(as({ claims: { a: 'b' } }))],
    ['the channel', question({ caller: { ...caller, channel: 'interactive' } })],
    ['the address', question({ caller: { ...caller, ip: '10.0.0.1' } })],
  ])('are not found for another value of %s', async (_what, other) => {
    const { judge, asked } = judgeOver(always(yes), 'args.lossless');
    await judge.judgeCall(question());
    await judge.judgeCall(other);
    expect(asked).toHaveLength(2);
  });

  it('are found for other arguments where no policy reads them', async () => {
    const { judge, asked } = judgeOver(always(yes));
    for (const text of ['{}', '{"a":1}', '{"a":2}']) await judge.judgeCall(question({}, text));
    expect(asked).toHaveLength(1);
  });

  it.each(['args.s', 'args.paths', 'args', 'facts.hosts', 'facts'])(
    'are not found for other arguments where a policy reads %s; discovery is',
    async (reads) => {
      const { judge, asked } = judgeOver(always(yes), reads);
      for (const text of ['{"a":1}', '{"a":2}', '{"a":1}']) await judge.judgeCall(question({}, text));
      expect(asked.map(({ questions }) => questions.length)).toEqual([3, 2]);
    },
  );

  it('are not kept where a policy reads the time', async () => {
    const { judge, asked } = judgeOver(always(yes), 'env.now');
    await judge.judgeCall(question());
    await judge.judgeCall(question());
    expect(asked).toHaveLength(2);
  });

  it('belong to one run where a policy reads the run', async () => {
    const { judge, asked } = judgeOver(always(yes), 'env.runId');
    await judge.judgeCall(question());
    await judge.judgeCall(question());
    await judge.judgeCall(question({ caller: { ...caller, session_id: 'other' } }));
    expect(asked).toHaveLength(2);
  });

  it('are not kept when the engine had a part in them', async () => {
    const { judge, asked } = judgeOver(always({ kind: 'lost', cause: 'engine_timeout' }));
    await judge.judgeCall(question());
    await judge.judgeCall(question());
    expect(asked).toHaveLength(2);
  });

  it('make room for newer ones, the least used first', async () => {
    const { judge, asked } = judgeOver(always(yes), 'args.s', 2);
    for (const text of ['{"a":1}', '{"a":2}', '{"a":1}', '{"a":3}', '{"a":1}', '{"a":2}'])
      await judge.judgeCall(question({}, text));
    expect(asked).toHaveLength(4);
  });
});

describe('a list', () => {
  it('asks once about tools that no policy can tell apart', async () => {
    const { judge, asked } = judgeOver(always(yes));
    const tools = Array.from({ length: 500 }, (_, index) => ({ ...tool, raw_name: `t${index}` }));
    const sights = await judge.sights(caller, [...tools, { ...tool, risk: 1 }]);
    expect(sights).toHaveLength(501);
    expect(asked.flatMap(({ questions }) => questions)).toHaveLength(4);
  });

  it('is a fault, not empty, when the engine gives no answer', async () => {
    const { judge } = judgeOver(always({ kind: 'lost', cause: 'engine_unavailable' }));
    await expect(judge.sights(caller, [tool])).rejects.toThrow('engine_unavailable');
  });

  it('says maybe where the time counts', async () => {
    const timeless = judgeOver(always(yes));
    expect(await timeless.judge.sights(caller, [tool])).toEqual([{ kind: 'visible', approval: 'never' }]);
    const timed = judgeOver(always(yes), 'env.now');
    expect(await timed.judge.sights(caller, [tool])).toEqual([{ kind: 'visible', approval: 'maybe' }]);
  });
});

describe('without Cedar', () => {
  const judge = new PlainJudge({ directory, now: () => now });
  const verdict = async (asked: CallQuestion) => (await judge.judgeCall(asked)).verdict;
  const risky = question({ tool: { ...tool, risk: 2 } });
  const votes = (...principals: Partial<Principal>[]) => ({
    approvalId: 'appr_x',
    votes: principals.map((change) => ({
      principal: { ...caller.principal, roles: ['admin'], ...change },
      channel: 'interactive' as const,
    })),
    requestedAt: now,
    expiresAt: now + 1_000,
  });

  it('tenant, capability, quarantine, risk and the kill of a tool stay', async () => {
    expect(await verdict(question())).toMatchObject({ kind: 'allow' });
    expect(await verdict(question({ tool: { ...tool, pinned: false } }))).toMatchObject({
      outcome: 'quarantined',
    });
    expect(await verdict(question({ tool: { ...tool, enabled: false } }))).toMatchObject({
      outcome: 'unknown_tool',
    });
    expect(await verdict(question({ tool: { ...tool, family: 'native.file' } }))).toMatchObject({
      outcome: 'unknown_tool',
    });
    expect(await verdict(question(as({ capabilities: ['write'] })))).toMatchObject({
      outcome: 'capability_denied',
    });
    expect(await verdict(question(as({ tenant: ToolFacts.shape.tenant.parse('b') })))).toMatchObject({
      cause: 'other_tenant',
    });
    expect(await verdict(question(as({ agent_id: 'a' })))).toMatchObject({ cause: 'agent_unknown' });
    expect(await verdict(risky)).toMatchObject({ kind: 'require_approval' });
    expect(await verdict(question({ tool: { ...tool, destructive: true } }))).toMatchObject({
      kind: 'require_approval',
    });
    expect(await verdict(question(as({ expires_at: now - 30_000 })))).toMatchObject({
      cause: 'principal_expired',
    });
  });

  it('nothing of a suspended user or agent is taken, and nothing at all under the kill switch', async () => {
    const agent = { owner: 'ada', maxRisk: 2, suspended: true };
    const strict = new PlainJudge({
      directory: {
        ...directory,
        tenant: () => ({ ...directory.tenant('a'), killSwitch: true }),
        agent: () => agent,
        isUserSuspended: (_, subject) => subject === 'uma',
      },
      now: () => now,
    });
    const outcome = async (change: Partial<Principal>) =>
      (await strict.judgeCall(question(as(change)))).verdict;
    expect(await outcome({ subject: 'uma' })).toMatchObject({ kind: 'deny', cause: 'suspended' });
    expect(await outcome({ agent_id: 'coder' })).toMatchObject({ kind: 'deny', cause: 'suspended' });
    expect(await outcome({})).toMatchObject({ kind: 'deny', cause: 'kill_switch' });
    const uma = { ...caller, principal: { ...caller.principal, subject: 'uma' } };
    expect(await strict.judgeActions(uma, [{ kind: 'list_tools' }])).toMatchObject([{ cause: 'suspended' }]);
  });

  it('a person with role admin releases, nobody else', async () => {
    const released = async (...who: Partial<Principal>[]) =>
      (await judge.judgeRelease(risky, votes(...who))).verdict.kind;
    expect(await released({})).toBe('allow');
    expect(await released({ roles: ['user'] })).toBe('require_approval');
    expect(await released({ agent_id: 'a' })).toBe('require_approval');
    expect(await released({ kind: 'agent' })).toBe('require_approval');
    expect(await released({ tenant: ToolFacts.shape.tenant.parse('b') })).toBe('require_approval');
    expect(await released()).toBe('require_approval');
  });

  it('a quorum counts people, not votes', async () => {
    const two = { ...risky, tool: { ...risky.tool, quorum: 2 } };
    expect((await judge.judgeRelease(two, votes({}, {}))).verdict.kind).toBe('require_approval');
    expect((await judge.judgeRelease(two, votes({}, { subject: 'bob' }))).verdict.kind).toBe('allow');
  });
});
