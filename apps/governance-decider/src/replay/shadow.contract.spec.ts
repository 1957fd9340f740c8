import type { Bus } from '@uar/bus';
import {
  TenantId,
  decideCall,
  readShadow,
  writeShadow,
  type AnswerOf,
  type AskOf,
  type Exchange,
  type ShadowView,
} from '@uar/contracts';
import type { RunningService } from '@uar/service';
import { createLog } from '@uar/telemetry';
import { testConfig, withInProcessBus } from '@uar/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { service } from '../module.js';
import { acme, question, registerAgents, type Acme } from './acme.fixture.js';
import { DecisionsLedger } from './decisions-ledger.fixture.js';

const log = createLog({ service: 'test', level: 'silent' });
const tenant = TenantId.parse('acme');
const noWrites =
  'forbid (principal, action == UAR::Action::"callTool", resource == UAR::Tool::"acme/fs/write")\n' +
  'when { context.args.s.hasTag("/path") && context.args.s.getTag("/path") like "/workspace/b*" };';

withInProcessBus('shadow', (connect) => {
  let world: Acme;
  let gateway: Bus;
  let ledger: DecisionsLedger;
  let running: RunningService;

  const start = async () => {
    const config = testConfig({
      data_dir: world.dataDir,
      governance: { policies_dir: world.policiesDir },
      tenants: { acme: { max_unattended_risk: 2 } },
    });
    running = await service.start({ config, bus: await connect('governance-decider'), log });
  };

  beforeAll(async () => {
    world = await acme();
    const ledgerBus = await connect('approval-service');
    ledger = new DecisionsLedger(ledgerBus);
    registerAgents(ledger);
    await ledgerBus.flush();
    await start();
    gateway = await connect('gateway');
  });
  afterAll(async () => {
    await running.stop();
    await world.remove();
  });

  async function ask<E extends Exchange>(exchange: E, body: AskOf<E>): Promise<AnswerOf<E>> {
    const reply = await gateway.ask(exchange, body);
    if (reply.kind === 'fault') throw new Error(`${reply.fault}: ${reply.message}`);
    return reply.value;
  }

  const administrator = () => world.fixtures.caller('adm');
  const put = (policies: Record<string, string>) =>
    ask(writeShadow, { caller: administrator(), policies: { ...world.own, ...policies } });
  const remove = () => ask(writeShadow, { caller: administrator() });

  async function write(path: string) {
    const asked = question(
      world.fixtures.caller('eve'),
      world.fixtures.tool('write'),
      JSON.stringify({ path, nonce: path }),
    );
    return { callId: asked.call_id, decision: await ask(decideCall, { question: asked }) };
  }

  /** Asked again until it says so: nobody announces what a shadow counts. */
  async function shadowed(count: number): Promise<ShadowView> {
    for (;;) {
      const answer = await ask(readShadow, { tenant });
      if (answer.kind !== 'found') throw new Error(answer.kind);
      if (answer.shadow.evaluated + answer.shadow.dropped >= count) return answer.shadow;
    }
  }

  it('is not there before somebody puts one', async () => {
    expect(await ask(readShadow, { tenant })).toEqual({ kind: 'not_found' });
    expect(await remove()).toEqual({ kind: 'not_found' });
  });

  it('refuses an unsound candidate and keeps nothing of it', async () => {
    const answer = await put({ 't/broken': 'permit (' });
    expect(answer).toMatchObject({ kind: 'invalid', findings: { errors: [{ policy_id: 't/broken' }] } });
    expect(await ask(readShadow, { tenant })).toEqual({ kind: 'not_found' });
    expect(ledger.receipts).toEqual([]);
  });

  it('counts and lists what it would have decided otherwise, and decides nothing', async () => {
    const written = await put({ 't/no-b': noWrites });
    expect(written).toMatchObject({ kind: 'written', shadow: { evaluated: 0, differences: 0, listed: [] } });
    expect(ledger.receipts).toMatchObject([{ kind: 'admin', action: 'shadow.put', tenant: 'acme' }]);
    const calls = [];
    for (const path of ['/workspace/a', '/workspace/b/1', '/workspace/c', '/workspace/b/2'])
      calls.push(await write(path));
    expect(calls.map(({ decision }) => decision.kind)).toEqual(calls.map(() => 'require_approval'));
    const shadow = await shadowed(4);
    expect(shadow).toMatchObject({ evaluated: 4, dropped: 0, differences: 2 });
    expect(shadow.listed.map(({ call_id }) => call_id)).toEqual([calls[3]?.callId, calls[1]?.callId]);
    expect(shadow.listed[0]).toMatchObject({
      ...{ tool: 'fs/write', was: 'require_approval', would_be: 'deny', would_be_outcome: 'policy_denied' },
      policies: ['t/no-b'],
    });
  });

  it('counts calls that were evaluated alike without asking again', async () => {
    const before = await shadowed(4);
    for (let n = 0; n < 50; n += 1) await write('/workspace/b/1');
    const shadow = await shadowed(before.evaluated + 50);
    expect(shadow).toMatchObject({ dropped: 0, differences: before.differences + 50 });
  });

  it('survives a restart, and counts anew', async () => {
    const before = await shadowed(4);
    await running.stop();
    await start();
    const shadow = await shadowed(0);
    expect(shadow).toMatchObject({ version: before.version, since: before.since, evaluated: 0 });
    await write('/workspace/b/1');
    expect(await shadowed(1)).toMatchObject({ evaluated: 1, differences: 1 });
  });

  it('begins anew with another candidate', async () => {
    const before = await shadowed(0);
    const written = await put({});
    if (written.kind !== 'written') throw new Error(written.kind);
    expect(written.shadow).toMatchObject({ evaluated: 0, differences: 0, listed: [] });
    expect(written.shadow.version).not.toBe(before.version);
    const { decision } = await write('/workspace/b/1');
    expect(written.shadow.version).toBe(decision.policy_version);
    expect(await shadowed(1)).toMatchObject({ evaluated: 1, differences: 0 });
  });

  it('ends with its receipt', async () => {
    expect(await remove()).toEqual({ kind: 'removed' });
    expect(ledger.receipts.at(-1)).toMatchObject({ kind: 'admin', action: 'shadow.delete' });
    expect(await ask(readShadow, { tenant })).toEqual({ kind: 'not_found' });
  });

  it('is not taken for absent where nobody can read it, and may be replaced', async () => {
    ledger.put('acme', 'shadow', { key: 'candidate', value: { policies: 7 } });
    await expect
      .poll(() => ask(readShadow, { tenant }))
      .toEqual({
        ...{ kind: 'unavailable', cause: 'shadow_unreadable' },
      });
    expect((await put({})).kind).toBe('written');
    expect((await ask(readShadow, { tenant })).kind).toBe('found');
  });
});
