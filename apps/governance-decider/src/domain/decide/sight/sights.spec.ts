import { Caller, ToolFacts } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import type { QuestionBatch, RawAnswer } from '../../cedar/cedar.js';
import { PolicyJson } from '../../policy/policy-json.js';
import { policySet } from '../../policy/policy-set.js';
import { CedarJudge } from '../cedar-judge.js';

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

const yes: RawAnswer = { kind: 'decided', decision: 'allow', reasons: ['t/all'], errors: [] };
const everything = { op: 'All' };

function permit(change: { readonly resource?: object; readonly body?: object } = {}): PolicyJson {
  return PolicyJson.parse({
    ...{ effect: 'permit', principal: everything, action: everything },
    resource: change.resource ?? everything,
    conditions: change.body === undefined ? [] : [{ kind: 'when', body: change.body }],
  });
}

const contextPart = (...steps: string[]): object =>
  steps.reduce<object>((left, attr) => ({ '.': { left, attr } }), { Var: 'context' });

/** A judge whose policies, revision and answers can be changed, and how many questions it asked so far. */
function listing(policy = permit()) {
  const state = { set: policySet('v1', new Map([['t/all', policy]])), revision: 0, answer: yes, asked: 0 };
  const judge = new CedarJudge({
    sets: { of: () => state.set },
    engine: {
      ask: ({ questions }: QuestionBatch) => {
        state.asked += questions.length;
        return Promise.resolve(questions.map(() => state.answer));
      },
    },
    directory: {
      get revision() {
        return state.revision;
      },
      tenant: () => ({
        ...{ killSwitch: false, enabledFamilies: ['mcp'], maxUnattendedRisk: 1 },
        ...{ approvalNeedsMfa: false, approvalNeedsInteractive: false },
      }),
      agent: () => undefined,
      isUserSuspended: () => false,
    },
    ...{ profile: 'minimal', now: () => now, remembered: 10 },
  });
  return { judge, state };
}

/** Questions that a second look asks beyond those of the first. */
async function askedAgain(
  change: (state: ReturnType<typeof listing>['state']) => void,
  second: { readonly caller?: Caller; readonly tool?: ToolFacts; readonly policy?: PolicyJson } = {},
): Promise<number> {
  const { judge, state } = listing(second.policy);
  await judge.sights(caller, [tool]);
  const before = state.asked;
  change(state);
  await judge.sights(second.caller ?? caller, [second.tool ?? tool]);
  return state.asked - before;
}

const nothing = (): void => undefined;
const principal = (change: object): { caller: Caller } => ({
  caller: { ...caller, principal: { ...caller.principal, ...change } },
});

describe('what a caller sees', () => {
  it('is remembered as long as nothing changed', async () => {
    expect(await askedAgain(nothing)).toBe(0);
    expect(await askedAgain(nothing, principal({ expires_at: now + 5 }))).toBe(0);
    expect(await askedAgain(nothing, { caller: { ...caller, session_id: 'other' } })).toBe(0);
  });

  it.each([
    ['the subject', principal({ subject: 'bob' })],
    ['roles', principal({ roles: ['admin'] })],
    ['groups', principal({ groups: ['x'] })],
    ['claims', principal({ claims: { a: 'b' } })],
    ['mfa', principal({ mfa: true })],
    ['the channel', { caller: { ...caller, channel: 'interactive' as const } }],
    ['the address', { caller: { ...caller, ip: '10.0.0.1' } }],
  ])('is asked anew for another value of %s', async (_what, second) => {
    expect(await askedAgain(nothing, second)).toBe(2);
  });

  it.each([
    ['risk', { risk: 1 }],
    ['read_only', { read_only: false }],
    ['destructive', { destructive: true }],
    ['idempotent', { idempotent: false }],
    ['open_world', { open_world: true }],
    ['hints_trusted', { hints_trusted: false }],
    ['enabled', { enabled: false }],
    ['pinned', { pinned: false }],
    ['source', { source: 'native' }],
    ['family', { family: 'native.file' }],
    ['quorum', { quorum: 2 }],
    ['capabilities', { capabilities: ['read', 'write'] }],
    ['tenant', { tenant: 'other' }],
    ['extractors', { extractors: { ...tool.extractors, paths: ['/path'] } }],
  ])('is asked anew for another value of %s of the tool', async (_what, change) => {
    expect(await askedAgain(nothing, { tool: ToolFacts.parse({ ...tool, ...change }) })).toBe(2);
  });

  it('is asked anew after a change of policies or of the directory', async () => {
    const changePolicies = (state: ReturnType<typeof listing>['state']): void => {
      state.set = policySet('v2', new Map([['t/all', permit()]]));
    };
    expect(await askedAgain(changePolicies)).toBe(2);
    expect(await askedAgain((state) => void (state.revision += 1))).toBe(2);
  });

  it('tells servers, labels and tools apart where a policy names them, and nowhere else', async () => {
    const other = ToolFacts.parse({ ...tool, server: 'fs', raw_name: 'read', labels: ['pii'] });
    expect(await askedAgain(nothing, { tool: other })).toBe(0);
    for (const [type, id] of [
      ['UAR::Server', 'acme/fs'],
      ['UAR::Label', 'pii'],
      ['UAR::Tool', 'acme/fs/read'],
    ]) {
      const policy = permit({ resource: { op: 'in', entity: { type, id } } });
      expect(await askedAgain(nothing, { tool: other, policy }), type).toBe(2);
    }
    const dynamic = { in: { left: { Var: 'resource' }, right: contextPart('user') } };
    expect(await askedAgain(nothing, { tool: other, policy: permit({ body: dynamic }) })).toBe(2);
  });

  it('is not kept where a policy reads the time, and belongs to a run where one reads the run', async () => {
    expect(await askedAgain(nothing, { policy: permit({ body: contextPart('env', 'now') }) })).toBe(2);
    const policy = permit({ body: contextPart('env', 'sessionId') });
    expect(await askedAgain(nothing, { policy })).toBe(0);
    expect(await askedAgain(nothing, { policy, caller: { ...caller, session_id: 'other' } })).toBe(2);
  });

  it('is not kept when the engine had a part in it', async () => {
    const { judge, state } = listing();
    state.answer = { kind: 'threw', message: '' };
    expect(await judge.sights(caller, [tool])).toEqual([{ kind: 'hidden' }]);
    state.answer = yes;
    expect(await judge.sights(caller, [tool])).toEqual([{ kind: 'visible', approval: 'never' }]);
  });

  it('is asked once for pieces of one list that are looked at side by side', async () => {
    const { judge, state } = listing();
    await Promise.all(Array.from({ length: 5 }, () => judge.sights(caller, [tool])));
    expect(state.asked).toBe(2);
  });
});
