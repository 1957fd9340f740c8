import type { Bus } from '@uar/bus';
import { explainCall, simulateCalls, type AnswerOf, type AskOf, type CallExplanation } from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entry } from '../domain/call-spec/entry.fixture.js';
import { Gateway, type Body, type HttpAnswer } from '../http-spec/gateway.fixture.js';

type ExplainAsk = AskOf<typeof explainCall>;
type SimulateAsk = AskOf<typeof simulateCalls>;

const log = createLog({ service: 'gateway', level: 'silent' });

let gateway: Gateway;
let pdp: Bus;
let explained: ExplainAsk[];
let simulated: SimulateAsk[];
let seen: boolean;
let answer: (ask: SimulateAsk) => AnswerOf<typeof simulateCalls>;

beforeEach(async () => {
  gateway = await Gateway.start();
  [explained, simulated, seen, answer] = [[], [], true, allowAll];
  pdp = gateway.neighbours.hub.connect({ service: 'governance-decider', log });
  pdp.answer(explainCall, (ask) => {
    explained.push(ask);
    return explanationOf(ask);
  });
  pdp.answer(simulateCalls, (ask) => {
    simulated.push(ask);
    return answer(ask);
  });
});
afterEach(async () => {
  await pdp.close();
  await gateway.stop();
});

function explanationOf({ caller, tool, at }: ExplainAsk): CallExplanation {
  return {
    ...{ decision: 'allow', governance: 'on', policy_version: 'v1', gates: [], hints: [], seen },
    determining: [{ policy: 't/one' }],
    stages: [
      { stage: 'who', result: 'passed' },
      { stage: 'discoverTool', result: seen ? 'passed' : 'refused', determining: [] },
    ],
    facts: {
      principal: { id: caller.principal.subject, roles: [], groups: [], mfa: false },
      environment: {
        ...{ at: new Date(at ?? 0).toISOString(), channel: caller.channel },
        ...{ profile: 'minimal', run_id: caller.run_id },
      },
      tenant: { kill_switch: false, enabled_families: [], max_unattended_risk: 1 },
      tool,
      arguments: { kind: 'rejected', problem: 'none' },
    },
  };
}

function allowAll({ callers, tools, policies }: SimulateAsk): AnswerOf<typeof simulateCalls> {
  const of = (index: number) => callers.map(() => tools.map(() => index));
  return {
    kind: 'simulated',
    active_version: 'v1',
    verdicts: [
      { decision: 'allow', determining: ['t/one'], seen: true },
      { decision: 'deny', outcome: 'unknown_tool', cause: 'forbidden', determining: ['t/no'], seen: false },
    ],
    active: of(0),
    ...(policies === undefined ? {} : { candidate: of(1), candidate_version: 'v2' }),
    warnings: [],
  };
}

const explain = (body: unknown, raw?: string): Promise<HttpAnswer> =>
  gateway.ask('POST', '/api/uar/governance/explain', raw === undefined ? { body } : { raw });
const simulate = (body: unknown): Promise<HttpAnswer> =>
  gateway.ask('POST', '/api/uar/governance/simulate', { body });
const stagesOf = ({ body }: HttpAnswer): string[] =>
  (body['stages'] as unknown as Record<string, string>[]).map(({ stage, result }) => `${stage} ${result}`);
const rows = (body: Body, member: string) => body[member] as unknown as Record<string, unknown>[];

describe('explain', () => {
  it('asks the decider about the caller itself, with the arguments as they were sent', async () => {
    const raw = '{"tool": "srv__echo", "arguments": { "n": 12345678901234567890 } }';
    const found = await explain(undefined, raw);
    expect(found.status).toBe(200);
    expect(found.body).toMatchObject({ decision: 'allow', policy_version: 'v1', governance: 'on' });
    expect(stagesOf(found)).toEqual(
      ['who', 'name', 'run', 'shape', 'discoverTool'].map((stage) => `${stage} passed`),
    );
    expect(explained).toMatchObject([
      {
        caller: { principal: { subject: 'ada', roles: ['admin'] }, channel: 'interactive' },
        tool: { raw_name: 'echo' },
        arguments_json: '{"n":12345678901234567890}',
      },
    ]);
    expect(gateway.neighbours.receipts).toEqual([]);
  });

  it('speaks of somebody else of the own tenant, and of another time', async () => {
    const principal = { sub: 'uma', roles: ['user'], groups: ['g'], tenant: 'default' };
    const at = '2026-06-01T20:00:00.000Z';
    expect((await explain({ principal, tool: 'srv__echo', at })).status).toBe(200);
    expect(explained).toMatchObject([
      {
        caller: { principal: { subject: 'uma', roles: ['user'], groups: ['g'], mfa: false } },
        at: Date.parse(at),
      },
    ]);
    const other = await explain({ principal: { sub: 'uma', tenant: 'other' }, tool: 'srv__echo' });
    expect([other.status, explained.length]).toEqual([403, 1]);
  });

  it('says that a name is not in the catalog', async () => {
    const found = await explain({ tool: 'srv__nothing' });
    expect(found.body).toMatchObject({
      ...{ decision: 'deny', outcome: 'unknown_tool', cause: 'no_such_name', facts: null },
      policy_version: 'v1',
    });
    expect(stagesOf(found)).toEqual(['who passed', 'name refused', 'run passed']);
    expect(explained).toEqual([]);
  });

  it('puts what run and schema refuse before the policies, to whoever may know the tool', async () => {
    const unfit = { tool: 'srv__hidden', arguments: {} };
    const found = await explain(unfit);
    expect(found.body).toMatchObject({ decision: 'deny', outcome: 'invalid_arguments', determining: [] });
    expect(stagesOf(found)).toContain('shape refused');
    const foreign = await explain({ ...unfit, run_id: `run_${'9'.repeat(32)}` });
    expect(foreign.body).toMatchObject({ decision: 'deny', outcome: 'run_denied' });
    expect(stagesOf(foreign)).toEqual(expect.arrayContaining(['run refused', 'shape not_asked']));
    seen = false;
    expect((await explain(unfit)).body).toMatchObject({ outcome: 'unknown_tool', cause: 'not_discoverable' });
  });

  it('refuses what is no question, and answers 503 where nobody decides', async () => {
    for (const body of [{}, { tool: 'x', arguments: [] }, { tool: 'x', more: 1 }, { tool: 'x', at: 'now' }])
      expect((await explain(body)).status).toBe(400);
    await pdp.close();
    await gateway.neighbours.stopPdp();
    expect((await explain({ tool: 'srv__echo' })).status).toBe(503);
  });
});

describe('simulate', () => {
  const principals = [{ sub: 'uma', roles: ['user'] }, { sub: 'vic' }];

  it('sets what a candidate would say beside what holds, for every principal and tool', async () => {
    const { status, body } = await simulate({ principals, policies: { 't/no': 'forbid' } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ version: 'v2', active_version: 'v1', warnings: [] });
    expect(rows(body, 'matrix').map(({ principal, sub, tool }) => `${principal} ${sub} ${tool}`)).toEqual([
      ...['0 uma srv__echo', '0 uma srv__hidden', '0 uma srv__write'],
      ...['1 vic srv__echo', '1 vic srv__hidden', '1 vic srv__write'],
    ]);
    expect(rows(body, 'differences')).toHaveLength(6);
    expect(rows(body, 'differences')[0]).toEqual({
      ...{ principal: 0, sub: 'uma', tool: 'srv__echo', was: 'allow', would_be: 'deny' },
      ...{ would_be_outcome: 'unknown_tool', policies: ['t/no'] },
    });
    expect(simulated).toMatchObject([{ policies: { 't/no': 'forbid' }, tenant: 'default' }]);
  });

  it('judges without a candidate, with arguments where some are given', async () => {
    const { body } = await simulate({
      principals: [{ sub: 'uma' }],
      tools: ['srv__hidden', 'srv__echo', 'srv__gone'],
      arguments: { srv__echo: { n: 'no number' } },
    });
    expect(rows(body, 'matrix')).toMatchObject([
      { tool: 'srv__hidden', active: { decision: 'allow', policies: ['t/one'] } },
      { tool: 'srv__echo', active: { decision: 'deny', outcome: 'invalid_arguments' } },
      { tool: 'srv__gone', active: { decision: 'deny', outcome: 'unknown_tool' } },
    ]);
    expect([rows(body, 'differences'), body['version']]).toEqual([[], 'v1']);
    expect(body['warnings']).toEqual([{ message: 'there is no tool srv__gone' }]);
    expect(simulated[0]?.tools.map(({ arguments_json }) => arguments_json).toSorted()).toEqual([
      ...['{"n":"no number"}', '{}'],
    ]);
  });

  it('refuses an agent that nobody registered every name alike, as calls do', async () => {
    const stranger = { sub: 'uma', roles: ['admin'], agent_id: 'stranger' };
    const { body } = await simulate({ principals: [stranger], tools: ['srv__echo', 'srv__gone'] });
    expect(rows(body, 'matrix')).toMatchObject([
      { tool: 'srv__echo', active: { decision: 'deny', outcome: 'run_denied' } },
      { tool: 'srv__gone', active: { decision: 'deny', outcome: 'run_denied' } },
    ]);
    const one = await explain({ principal: stranger, tool: 'srv__gone' });
    expect(one.body).toMatchObject({ decision: 'deny', outcome: 'run_denied' });
  });

  it('asks about many tools in several pieces', async () => {
    gateway.neighbours.catalogChanged(Array.from({ length: 450 }, (_, index) => entry(`t${index}`)));
    const { body } = await simulate({ principals });
    expect(rows(body, 'matrix')).toHaveLength(900);
    expect(simulated.map(({ tools }) => tools.length)).toEqual([200, 200, 50]);
  });

  it('says nothing where the set in force changed meanwhile', async () => {
    gateway.neighbours.catalogChanged(Array.from({ length: 250 }, (_, index) => entry(`t${index}`)));
    answer = (ask) => ({ ...allowAll(ask), active_version: `v${simulated.length}` }) as never;
    expect((await simulate({ principals })).status).toBe(503);
  });

  it('names what keeps it from being simulated', async () => {
    const codeOf = async (body: unknown = { principals }) => {
      const found = await simulate(body);
      return [found.status, found.body['error']?.['code']];
    };
    answer = () => ({
      kind: 'invalid',
      findings: { errors: [{ policy_id: 't/x', message: 'm', line: 1 }], warnings: [] },
    });
    expect(await codeOf()).toEqual([422, 'policies_invalid']);
    answer = () => ({ kind: 'off' });
    expect(await codeOf()).toEqual([422, 'governance_off']);
    answer = () => ({ kind: 'too_slow', most_ms: 1 });
    expect(await codeOf()).toEqual([422, 'too_slow']);
    answer = () => ({ kind: 'unavailable', cause: 'engine_unavailable' });
    expect(await codeOf()).toEqual([503, 'unavailable']);
    expect(await codeOf({ principals: [] })).toEqual([400, 'bad_request']);
    expect(await codeOf({ principals: [{ sub: 'x', tenant: 'other' }] })).toEqual([403, 'policy_denied']);
    const many = Array.from({ length: 1_001 }, (_, index) => `srv__t${index}`);
    const fifty = Array.from({ length: 50 }, (_, index) => ({ sub: `p${index}` }));
    expect(await codeOf({ principals: fifty, tools: many })).toEqual([422, 'too_many_cells']);
    expect(await codeOf({ principals: [...fifty, { sub: 'one more' }] })).toEqual([400, 'bad_request']);
  });
});
