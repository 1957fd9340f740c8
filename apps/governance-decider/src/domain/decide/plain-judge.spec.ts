import { ToolFacts, type CallQuestion, type Principal } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { as, caller, directory, now, question, tool } from './decide.fixture.js';
import { PlainJudge } from './plain-judge.js';

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
