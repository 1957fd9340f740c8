import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bus } from '@uar/bus';
import {
  TenantId,
  decideCall,
  policiesChanged,
  replayDecisions,
  type AnswerOf,
  type AskOf,
  type Exchange,
  type ReplayView,
} from '@uar/contracts';
import type { RunningService } from '@uar/service';
import { createLog } from '@uar/telemetry';
import { testConfig, withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { service } from '../module.js';
import { acme, numbers, question, randomCall, registerAgents, type Acme } from './acme.fixture.js';
import { proofRuns } from '../proof/runs.fixture.js';
import { DecisionsLedger } from './decisions-ledger.fixture.js';

type CallQuestion = AskOf<typeof decideCall>['question'];

const log = createLog({ service: 'test', level: 'silent' });
const tenant = TenantId.parse('acme');
/** A thousand where the proofs run. */
const { cases: recordedCalls } = proofRuns({ cases: 100 });

/** What the example becomes: another limit, a rule about a path, one permit more and one less. */
function changed(own: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...without(own, 't/eng-auto-read'),
    't/fin-transfer': (own['t/fin-transfer'] ?? '').replace('10000.0', '1000.0'),
    't/no-b':
      'forbid (principal, action == UAR::Action::"callTool", resource in UAR::Server::"acme/fs")\n' +
      'when { context.args.s.hasTag("/path") && context.args.s.getTag("/path") like "/workspace/b*" };',
    't/publish':
      'permit (principal in UAR::Group::"acme/analysts", action in UAR::Action::"use", ' +
      'resource == UAR::Tool::"acme/docs/publish");',
  };
}

// A thousand decisions, made and made again, take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

withBothBuses('replay', (connect) => {
  let world: Acme;
  let gateway: Bus;
  let ledger: DecisionsLedger;
  let running: RunningService;
  const calls: { question: CallQuestion; decision: AnswerOf<typeof decideCall> }[] = [];

  beforeAll(async () => {
    world = await acme();
    const ledgerBus = await connect('approval-service');
    ledger = new DecisionsLedger(ledgerBus);
    registerAgents(ledger);
    await ledgerBus.flush();
    const config = testConfig({
      data_dir: world.dataDir,
      governance: { policies_dir: world.policiesDir },
      tenants: { acme: { max_unattended_risk: 2 } },
    });
    running = await service.start({ config, bus: await connect('governance-decider'), log });
    gateway = await connect('gateway');
    const random = numbers(20_261_130);
    for (let n = 0; n < recordedCalls; n += 1) await decide(randomCall(world, random));
  });
  afterAll(async () => {
    await running.stop();
    await world.remove();
  });

  async function ask<E extends Exchange>(exchange: E, body: AskOf<E>, deadlineMs?: number) {
    const reply = await gateway.ask(exchange, body, deadlineMs === undefined ? {} : { deadlineMs });
    if (reply.kind === 'fault') throw new Error(`${reply.fault}: ${reply.message}`);
    return reply.value;
  }

  async function decide(asked: CallQuestion): Promise<void> {
    calls.push({ question: asked, decision: await ask(decideCall, { question: asked }) });
  }

  /** However many answers it takes: a busy machine does not replay a thousand within one deadline. */
  async function replayed(policies: Record<string, string>, limit = 10_000) {
    const found: Pick<ReplayView, 'replayed' | 'changed' | 'undecided'> = {
      ...{ replayed: 0, changed: [], undecided: [] },
    };
    for (let before: number | undefined; ;) {
      const place = before === undefined ? {} : { before };
      const answer = await ask(replayDecisions, { tenant, policies, limit, ...place });
      if (answer.kind !== 'replayed') throw new Error(JSON.stringify(answer));
      const { version, complete, next } = answer.view;
      found.replayed += answer.view.replayed;
      found.changed.push(...answer.view.changed);
      found.undecided.push(...answer.view.undecided);
      if (complete || next === undefined) return { ...found, version, complete };
      before = Number(next);
    }
  }

  const ofAcme = () => calls.filter(({ question: { caller } }) => caller.principal.tenant === tenant);

  it('lists nothing for the set in force', async () => {
    const kinds = new Set(ofAcme().map(({ decision }) => outcomeOf(decision)));
    expect(kinds.size).toBeGreaterThanOrEqual(recordedCalls >= 1_000 ? 5 : 3);
    const answer = await replayed({ ...world.own });
    expect(answer).toMatchObject({ replayed: ofAcme().length, changed: [], undecided: [], complete: true });
  });

  it('lists nothing for the set in force where votes were weighed', async () => {
    const asked = question(
      world.fixtures.caller('eve'),
      world.fixtures.tool('write'),
      '{"path":"/workspace/a"}',
    );
    const approval = { approval_id: `appr_${'1'.repeat(32)}`, requested_at: Date.now() - 1_000 };
    for (const approvers of [[], [world.fixtures.principal('sam')], [world.fixtures.principal('evap')]])
      await ask(decideCall, { question: asked, approval: { ...approval, approvers } });
    const answer = await replayed({ ...world.own }, 3);
    expect(answer).toMatchObject({ replayed: 3, changed: [], undecided: [] });
    expect((await replayed(without(world.own, 't/approve-low'), 3)).changed).toEqual([
      {
        ...{ call_id: asked.call_id, stage: 'release', was: 'allow', would_be: 'require_approval' },
        policies: expect.any(Array),
      },
    ]);
  });

  it('keeps no argument that no policy in force names', () => {
    const kept = [...ledger.facts.values()].join('\n');
    expect(kept).toContain('/workspace/.env');
    expect(kept).not.toMatch(/evil\.example\/|"q":"[ab]"|much/);
  });

  it('does not guess about an argument that was not recorded', async () => {
    const policies = {
      ...world.own,
      't/no-q':
        'forbid (principal, action == UAR::Action::"callTool", resource == UAR::Tool::"acme/docs/search")\n' +
        'when { context.args.s.hasTag("/q") && context.args.s.getTag("/q") == "a" };',
    };
    const answer = await replayed(policies);
    const concerned = ofAcme().filter(
      ({ question: { tool, arguments_json } }) => tool.raw_name === 'search' && /"q":/.test(arguments_json),
    );
    const unread = concerned.filter(({ decision }) => !/agent_unknown/.test(JSON.stringify(decision)));
    expect(unread.length).toBeGreaterThanOrEqual(Math.ceil(recordedCalls / 200));
    expect(new Set(answer.undecided.map(({ call_id }) => call_id))).toEqual(
      new Set(unread.map(({ question: { call_id } }) => call_id)),
    );
    expect(answer.undecided[0]).toMatchObject({ why: 'argument_not_recorded', reads: ['/q'] });
    expect(answer.changed).toEqual([]);
  });

  it('refuses an unsound candidate, with the place', async () => {
    const broken = {
      ...world.own,
      't/broken': 'permit (principal, action == UAR::Action::"callTool", resource)\nwhen { nosuch };',
    };
    expect(await ask(replayDecisions, { tenant, policies: broken, limit: 1 })).toMatchObject({
      kind: 'invalid',
      findings: { errors: [{ policy_id: 't/broken', line: 2 }] },
    });
    const foreign = { 'p/mine': 'forbid (principal, action, resource);' };
    expect(await ask(replayDecisions, { tenant, policies: foreign, limit: 1 })).toMatchObject({
      kind: 'invalid',
      findings: { errors: [{ policy_id: 'p/mine' }] },
    });
  });

  it('ends in time with what was done', async () => {
    const body = { tenant, policies: { ...world.own }, limit: 10_000 };
    const answer = await ask(replayDecisions, body, 2_000);
    expect(answer).toMatchObject({ kind: 'replayed', view: { replayed: 0, complete: false } });
  });

  it('replays nothing of another tenant', async () => {
    const beta = await ask(replayDecisions, { tenant: TenantId.parse('beta'), policies: {}, limit: 10_000 });
    expect(beta).toMatchObject({ kind: 'replayed', view: { changed: [], undecided: [] } });
    const others = calls.filter(({ question: { caller } }) => caller.principal.tenant === 'beta');
    expect(others.length).toBeGreaterThan(0);
    expect(beta).toMatchObject({ view: { replayed: others.length } });
  });

  it('lists exactly those of a thousand decisions that a changed set makes differently', async () => {
    const candidate = changed(world.own);
    const answer = await replayed(candidate);
    const swapped = new Promise<void>((resolve) => {
      gateway.listen(policiesChanged, ({ version }) => {
        if (version === answer.version) resolve();
      });
    });
    await gateway.flush();
    const home = join(world.policiesDir, 'tenants/acme');
    await rm(join(home, 'eng-auto-read.cedar'));
    for (const [id, text] of Object.entries(candidate))
      await writeFile(join(home, `${id.slice(2)}.cedar`), text);
    await swapped;
    const different = new Map<string, string>();
    for (const { question: asked, decision } of ofAcme()) {
      const now = await ask(decideCall, { question: asked });
      expect(now.policy_version).toBe(answer.version);
      if (outcomeOf(now) !== outcomeOf(decision))
        different.set(asked.call_id, `${outcomeOf(decision)} ${outcomeOf(now)} ${now.determining.join()}`);
    }
    expect(different.size).toBeGreaterThan(Math.floor(recordedCalls / 50));
    const listed = answer.changed.map((one) => [
      one.call_id,
      `${one.was_outcome ?? one.was} ${one.would_be_outcome ?? one.would_be} ${one.policies.join()}`,
    ]);
    expect(new Map(listed as [string, string][])).toEqual(different);
    expect(answer.undecided).toEqual([]);
  });
});

function without(texts: Readonly<Record<string, string>>, left: string): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([id]) => id !== left));
}

function outcomeOf(decision: AnswerOf<typeof decideCall>): string {
  return decision.kind === 'deny' ? decision.outcome : decision.kind;
}
