import { Caller, TenantId, ToolFacts } from '@uar/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CallSimulator,
  type SimulateAsk,
  type SimulateParts,
} from '../../../domain/simulate/simulate-calls.js';
import { fixtures, startAcme, type AcmeWorld } from './acme.fixture.js';

let world: AcmeWorld;
beforeAll(async () => {
  world = await startAcme();
});
afterAll(() => world.engine.stop());

const noReading =
  '@reason("reading is over")\nforbid (principal, action in UAR::Action::"invoke", resource == UAR::Tool::"acme/fs/read");\n';

function own(more: Record<string, string> = {}): Record<string, string> {
  const texts = Object.entries(world.active.policies).filter(([id]) => id.startsWith('t/'));
  return { ...Object.fromEntries(texts), ...more };
}

function ask(more: Partial<SimulateAsk> = {}): SimulateAsk {
  return {
    tenant: TenantId.parse('acme'),
    callers: ['eve', 'ann', 'nobody'].map((who) => Caller.parse(fixtures.caller(who))),
    tools: ['read', 'search'].map((name) => ({
      facts: fixtures.tool(name),
      arguments_json: name === 'read' ? '{"path":"/workspace/a"}' : '{}',
    })),
    ...more,
  };
}

const simulate = (more: Partial<SimulateAsk> = {}, parts: Partial<SimulateParts> = {}) =>
  new CallSimulator({ ...world, ...parts }).simulate(ask(more));

async function simulated(more: Partial<SimulateAsk> = {}) {
  const answer = await simulate(more);
  if (answer.kind !== 'simulated') throw new Error(JSON.stringify(answer));
  const words = (indexes: readonly (readonly number[])[] | undefined) =>
    indexes?.map((row) =>
      row.map((index) => answer.verdicts[index]?.outcome ?? answer.verdicts[index]?.decision),
    );
  return { ...answer, active: words(answer.active), candidate: words(answer.candidate) };
}

describe('a simulation', () => {
  const before = [
    ['allow', 'unknown_tool'],
    ['unknown_tool', 'allow'],
    ['unknown_tool', 'unknown_tool'],
  ];

  it('says what the active set says of every caller and tool', async () => {
    const found = await simulated();
    expect(found.active).toEqual(before);
    expect(found.candidate).toBeUndefined();
    expect(found.active_version).toBe(world.sets.of('acme')?.version);
  });

  it('says beside it what a candidate would say, and by which policies', async () => {
    const found = await simulated({ policies: own({ 't/no-reading': noReading }) });
    expect(found.active).toEqual(before);
    expect(found.candidate).toEqual([['policy_denied', 'unknown_tool'], ...before.slice(1)]);
    expect(found.candidate_version).not.toBe(found.active_version);
    expect(found.verdicts).toContainEqual({
      ...{ decision: 'deny', outcome: 'policy_denied', cause: 'forbidden', seen: true },
      determining: ['t/no-reading'],
    });
  });

  it('takes policies of the platform that come back unchanged, and no others', async () => {
    const [id, text] = Object.entries(world.active.policies).find(([name]) => name.startsWith('p/')) ?? [];
    if (id === undefined || text === undefined) throw new Error('no platform policy');
    expect((await simulate({ policies: own({ [id]: text }) })).kind).toBe('simulated');
    for (const other of [{ [id]: `${text} ` }, { 'p/mine': noReading }])
      expect(await simulate({ policies: own(other) })).toMatchObject({
        kind: 'invalid',
        findings: { errors: [{ policy_id: Object.keys(other)[0] }] },
      });
  });

  it('checks the candidate first and says where it is wrong', async () => {
    const text = 'permit (principal, action == UAR::Action::"callTool", resource)\nwhen { resource.nosuch };';
    expect(await simulate({ policies: own({ 't/bad': text }) })).toMatchObject({
      kind: 'invalid',
      findings: { errors: [{ policy_id: 't/bad', line: 2 }] },
    });
  });

  it('ends where it would take too long, and says so', async () => {
    let clock = 0;
    const now = () => (clock += 30_000);
    expect(await simulate({}, { now })).toEqual({ kind: 'too_slow', most_ms: 20_000 });
  });

  it('says nothing where the engine gives no answer', async () => {
    const set = world.sets.of('acme');
    if (set === undefined) throw new Error('no set');
    const sets = { of: () => ({ ...set, version: 'gone' }) };
    expect(await simulate({}, { sets })).toEqual({ kind: 'unavailable', cause: 'engine_unavailable' });
    expect(await simulate({}, { sets: { of: () => undefined } })).toMatchObject({ kind: 'unavailable' });
  });

  it('judges 20 callers by 1,000 tools, and lets reloads pass', async () => {
    const roles = ['approver', 'security', 'dba', 'admin', 'auditor'];
    const callers = Array.from({ length: 20 }, (_, index) => {
      const caller = fixtures.caller(index % 2 === 0 ? 'eve' : 'ann');
      const principal = {
        ...caller.principal,
        roles: roles.filter((_role, bit) => (index & (1 << bit)) > 0),
      };
      return Caller.parse({ ...caller, principal });
    });
    const tools = Array.from({ length: 1_000 }, (_, index) => ({
      facts: ToolFacts.parse({
        ...fixtures.tool(['read', 'search', 'publish', 'report'][index % 4] ?? 'read'),
        raw_name: `tool${index}`,
        risk: index % 5,
      }),
      arguments_json: '{}',
    }));
    const started = performance.now();
    const running = simulate({ callers, tools, policies: own({ 't/no-reading': noReading }) });
    const reload = world.engine.rehearse(() => Promise.resolve(performance.now() - started));
    const answer = await running;
    const tookMs = performance.now() - started;
    if (answer.kind !== 'simulated') throw new Error(JSON.stringify(answer));
    expect([answer.active.length, answer.candidate?.[19]?.length]).toEqual([20, 1_000]);
    const reloaded = await reload;
    expect(reloaded.kind === 'done' ? reloaded.value : tookMs).toBeLessThan(tookMs / 2);
    console.info(`simulated 20 x 1,000 twice in ${Math.round(tookMs)} ms`);
  }, 60_000);
});
