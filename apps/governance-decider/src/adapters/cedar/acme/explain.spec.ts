import { Caller, type CallExplanation, type ExplainedStage } from '@uar/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onCandidate } from '../../../domain/candidate-judge.js';
import { CallExplainer, type ExplainAsk } from '../../../domain/explain/explain-call.js';
import { PlainExplainer } from '../../../domain/explain/plain-explainer.js';
import { fixtures, startAcme, type AcmeWorld } from './acme.fixture.js';
import { someQuestion } from '../questions.fixture.js';

let world: AcmeWorld;
beforeAll(async () => {
  world = await startAcme();
});
afterAll(() => world.engine.stop());

interface Call {
  readonly who: string;
  readonly agent?: string;
  readonly tool: string;
  readonly args?: object;
  readonly at?: string;
}

function askOf({ who, agent, tool, args = {}, at }: Call): ExplainAsk {
  const caller = fixtures.caller(who, agent);
  const principal = { ...caller.principal, expires_at: Date.parse('2030-01-01T00:00:00.000Z') };
  return {
    caller: Caller.parse({ ...caller, principal, ip: '10.20.0.1' }),
    tool: fixtures.tool(tool),
    arguments_json: JSON.stringify(args),
    ...(at === undefined ? {} : { at: Date.parse(at) }),
  };
}

const explain = (call: Call): Promise<CallExplanation> => new CallExplainer(world).explain(askOf(call));

function results({ stages }: CallExplanation): string[] {
  return stages.map(({ stage, result }) => `${stage} ${result}`);
}

function stage(found: CallExplanation, name: ExplainedStage['stage']): ExplainedStage | undefined {
  return found.stages.find((one) => one.stage === name);
}

describe('an explanation', () => {
  it('shows every stage of an allowed call, with what decided and the facts it rests on', async () => {
    const found = await explain({ who: 'eve', tool: 'read', args: { path: '/workspace/a', n: 1 } });
    expect(found).toMatchObject({ decision: 'allow', governance: 'on', seen: true, gates: [], hints: [] });
    expect(results(found)).toEqual([
      ...['who passed', 'quarantine passed', 'discoverTool passed', 'capability passed'],
      ...['callTool passed', 'callToolUnattended passed', 'approval passed'],
    ]);
    expect(stage(found, 'callTool')?.determining).toEqual([{ policy: 't/eng-call-fs' }]);
    expect(found.facts.arguments).toEqual({
      kind: 'read',
      pointers: { '/path': 'string', '/n': 'number' },
      path_roots: ['/workspace'],
      ...{ hosts: [], recipient_domains: [], lossless: true, complete: true },
    });
    expect(JSON.stringify(found)).not.toContain('/workspace/a');
  });

  it('names the condition in which the nearest permit fails', async () => {
    const found = await explain({ who: 'eve', tool: 'read', args: { path: '/workspace/../etc/passwd' } });
    expect(found).toMatchObject({ decision: 'deny', outcome: 'policy_denied', cause: 'not_permitted' });
    const [nearest, ...others] = found.hints;
    expect(nearest).toEqual({
      ...{ kind: 'permit', action: 'callTool', principal: 'UAR::User::"acme/eve"', policy: 't/eng-call-fs' },
      fails: [{ part: 'when', text: '["/workspace"].containsAll(context.facts.pathRoots)', found: 'false' }],
    });
    expect(others.map((hint) => 'policy' in hint && hint.policy)).toContain('t/db-ask');
    expect(others[0]).toMatchObject({ fails: [{ part: 'resource' }] });
  });

  it('names the forbid, its reason and the conditions that held', async () => {
    const found = await explain({ who: 'eve', tool: 'read', args: { path: '/workspace/.env' } });
    expect(found.hints).toEqual([
      {
        ...{ kind: 'forbid', action: 'callTool', principal: 'UAR::User::"acme/eve"' },
        ...{ policy: 't/no-dotenv', reason: 'secrets files are off limits' },
        held: [
          { part: 'when', text: 'context.args.s.hasTag("/path")', found: 'true' },
          { part: 'when', text: 'context.args.s.getTag("/path") like "*.env*"', found: 'true' },
        ],
      },
    ]);
  });

  it('says nothing about a clause that an earlier one kept from being evaluated', async () => {
    const found = await explain({ who: 'fay', tool: 'transfer' });
    const permit = found.hints.find((hint) => hint.kind === 'permit' && hint.policy === 't/fin-transfer');
    expect(permit).toMatchObject({
      fails: [{ part: 'when', text: 'context.facts has amount', found: 'false' }],
    });
  });

  it('says that no policy permits anything of the kind', async () => {
    const found = await explain({ who: 'nobody', tool: 'search' });
    expect(found).toMatchObject({ decision: 'deny', outcome: 'unknown_tool', seen: false });
    expect(found.hints).toEqual([
      { kind: 'no_permit', action: 'discoverTool', principal: 'UAR::User::"acme/nobody"' },
    ]);
  });

  it('shows both answers where an agent acts for a user', async () => {
    const found = await explain({ who: 'ann', agent: 'coder1', tool: 'search' });
    expect(
      stage(found, 'discoverTool')?.subjects?.map(({ principal, result }) => [principal, result]),
    ).toEqual([
      ['UAR::Agent::"acme/coder1"', 'refused'],
      ['UAR::User::"acme/ann"', 'passed'],
    ]);
    expect(found).toMatchObject({ decision: 'deny', outcome: 'unknown_tool' });
  });

  it('names an agent that nobody registered, and a capability that is missing', async () => {
    const stranger = await explain({ who: 'ann', agent: 'stranger', tool: 'search' });
    expect(stranger).toMatchObject({ cause: 'agent_unknown', hints: [{ kind: 'agent', agent: 'stranger' }] });
    expect(stage(stranger, 'callTool')?.result).toBe('not_asked');
    const ask = askOf({ who: 'ann', tool: 'search' });
    const poor = { ...ask.caller, principal: { ...ask.caller.principal, capabilities: ['write' as const] } };
    const found = await new CallExplainer(world).explain({ ...ask, caller: poor });
    expect(found).toMatchObject({
      outcome: 'capability_denied',
      hints: [{ kind: 'capability', missing: ['read'] }],
    });
    expect(stage(found, 'callTool')?.result).toBe('passed');
  });

  it('puts a tool that awaits review before everything else', async () => {
    const found = await explain({ who: 'ann', tool: 'drift' });
    expect(found).toMatchObject({ outcome: 'quarantined', hints: [{ kind: 'review' }, {}] });
    expect(stage(found, 'quarantine')?.result).toBe('refused');
  });

  it('names the gates that ask for a human, and lets `at` stand for the clock', async () => {
    const call = { who: 'fay', tool: 'transfer', args: { amount: 50 } };
    const evening = await explain({ ...call, at: '2026-06-01T20:00:00.000Z' });
    expect(evening).toMatchObject({
      decision: 'require_approval',
      gates: [
        {
          kind: 'policy',
          policy: 't/gate-after-hours',
          reason: 'money moves unattended only between 08:00 and 18:00 UTC',
        },
      ],
    });
    expect(stage(evening, 'approval')).toMatchObject({ result: 'needed', quorum: 1 });
    const morning = await explain({ ...call, at: '2026-06-01T10:00:00.000Z' });
    expect(morning).toMatchObject({ decision: 'allow', facts: { arguments: { amount: '50.0' } } });
  });

  it('says that the run asks, or lets nobody be asked', async () => {
    const ask = askOf({ who: 'fay', tool: 'transfer', args: { amount: 50 } });
    const under = (tool_approval: 'ask' | 'deny', at: string) =>
      new CallExplainer(world).explain({
        ...{ ...ask, at: Date.parse(at) },
        caller: { ...ask.caller, run_limits: { tool_approval } },
      });
    const [morning, evening] = ['2026-06-01T10:00:00.000Z', '2026-06-01T20:00:00.000Z'];
    const asks = await under('ask', morning);
    expect(asks).toMatchObject({ decision: 'require_approval', gates: [{ kind: 'run' }] });
    const both = await under('ask', evening);
    expect(both.gates).toMatchObject([{ policy: 't/gate-after-hours' }, { kind: 'run' }]);
    expect(await under('deny', morning)).toMatchObject({ decision: 'allow', gates: [] });
    const refused = await under('deny', evening);
    expect(refused).toMatchObject({
      ...{ decision: 'deny', outcome: 'run_denied', cause: 'run_asks_nobody' },
      gates: [{ policy: 't/gate-after-hours' }],
    });
    expect(stage(refused, 'approval')).toMatchObject({ result: 'refused', cause: 'run_asks_nobody' });
  });

  it('says what it could not read of the arguments', async () => {
    const found = await new CallExplainer(world).explain({
      ...askOf({ who: 'eve', tool: 'read' }),
      arguments_json: '{"path":"/workspace/a","path":"b"}',
    });
    expect(found).toMatchObject({ decision: 'deny', cause: 'args_rejected' });
    expect(found.facts.arguments.kind).toBe('rejected');
    expect(results(found)).toContain('callToolUnattended not_asked');
  });

  it('leaves nothing in the spare instance', async () => {
    const tryOut = async (policies: Record<string, string>) => {
      const sound = await world.candidates.tried('acme', policies);
      if (sound.kind !== 'sound') throw new Error(JSON.stringify(sound));
      const tried = await onCandidate(sound, world, ({ set }) => Promise.resolve(set.version));
      if (tried.kind === 'failed') throw new Error(tried.message);
      return tried.value;
    };
    const version = await tryOut(world.active.policies);
    const other = await tryOut({ ...world.active.policies, 't/extra': extra });
    const question = { questions: [someQuestion()], stopAtRefusal: false };
    const left = await world.engine.rehearse(async ({ engine }) => [
      await engine.ask({ ...question, set: other }),
      await engine.ask({ ...question, set: version }),
    ]);
    expect(left).toMatchObject({
      kind: 'done',
      value: [[{ kind: 'lost' }], [{ kind: 'decided' }]],
    });
  });
});

const extra = 'forbid (principal, action == UAR::Action::"callTool", resource == UAR::Tool::"acme/x/y");';

describe('an explanation without Cedar', () => {
  it('says that governance is off, and what is left of it', async () => {
    const plain = new PlainExplainer(world);
    const found = await plain.explain(askOf({ who: 'nobody', tool: 'migrate' }));
    expect(found).toMatchObject({
      ...{ decision: 'require_approval', governance: 'off', policy_version: 'off', determining: [] },
      gates: [{ kind: 'risk' }, { kind: 'risk' }],
    });
    expect(results(found).slice(-2)).toEqual(['callToolUnattended refused', 'approval needed']);
    const drift = await plain.explain(askOf({ who: 'nobody', tool: 'drift' }));
    expect(drift).toMatchObject({ outcome: 'quarantined', hints: [{ kind: 'review' }] });
    const other = await plain.explain(askOf({ who: 'bob', tool: 'search' }));
    expect(other).toMatchObject({ outcome: 'unknown_tool', cause: 'other_tenant', seen: false });
  });
});
