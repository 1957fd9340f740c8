import { ToolFacts } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { always, as, caller, judgeOver, no, now, question, tool, yes } from './decide.fixture.js';

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
