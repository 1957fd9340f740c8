import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Bus } from '@uar/bus';
import { agentsNamespace, authorizeActions, decideCall, decideItem, type AskOf } from '@uar/contracts';
import { textDigest } from '@uar/json-text';
import type { RunningService } from '@uar/service';
import { testConfig, withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  DeciderHome,
  answerSettings,
  caller,
  expected,
  log,
  question,
  target,
  tool,
  user,
} from './decider.fixture.js';
import { service } from './module.js';
import type { SettingsLedger } from './settings-ledger.fixture.js';

type ItemQuestion = AskOf<typeof decideItem>['question'];
type Caller = ReturnType<typeof caller>;

const resource = { kind: 'resource' as const, server: 'time', id: 'file:///notes/a b' };
const prompt = { kind: 'prompt' as const, server: 'time', id: 'sum up' };

function about(who: Caller, change: Partial<ItemQuestion> = {}): ItemQuestion {
  return decideItem.ask.shape.question.parse({
    call_id: `call_${'d'.repeat(32)}`,
    caller: who,
    item: resource,
    method: 'resources/read',
    params_digest: textDigest('{"uri":"file:///notes/a b"}'),
    ...change,
  });
}

/** What a host is about to do when it runs this. */
const dispatched = ({ call_id, item, method, params_digest }: ItemQuestion) => ({
  call_id,
  method,
  tenant: user.principal.tenant,
  server: item.server,
  raw_name: item.id,
  definition_digest: undefined,
  arguments_digest: params_digest,
});

withBothBuses('the decider, asked about items', (connect) => {
  const home = new DeciderHome(connect);
  beforeAll(() => home.open());
  afterAll(() => home.close());

  const decide = (asked: ItemQuestion) => home.ask(decideItem, { question: asked, target: target() });
  const grantOf = async (asked: ItemQuestion) => {
    const decision = await decide(asked);
    if (decision.kind !== 'allow') throw new Error(decision.cause);
    return decision.grant;
  };

  it('allows with a grant that a host takes once, for this request alone', async () => {
    const asked = about(user);
    const decision = await decide(asked);
    expect(decision).toMatchObject({
      kind: 'allow',
      determining: ['t/user-consume'],
      governance: 'on',
    });
    const grant = await grantOf(asked);
    const host = home.verifier();
    const refused = (change: object) => host.verify(grant, { ...dispatched(asked), ...change });
    expect(refused({ method: 'resources/subscribe' }).kind).toBe('refused');
    expect(refused({ raw_name: 'file:///notes/b' }).kind).toBe('refused');
    expect(refused({ server: 'notes' }).kind).toBe('refused');
    expect(refused({ arguments_digest: textDigest('{}') }).kind).toBe('refused');
    expect(host.verify(grant, dispatched(asked))).toMatchObject({
      kind: 'valid',
      claims: { principal: 'User::"default/user"' },
    });
    expect(host.verify(grant, dispatched(asked))).toEqual({ kind: 'refused', cause: 'used' });
  });

  it('grants no tool of the same name, and no tool grants an item', async () => {
    const named = tool({ raw_name: resource.id });
    const call = question(user, named, '{"uri":"file:///notes/a b"}');
    const asked = about(user, { call_id: call.call_id });
    const grant = await grantOf(asked);
    expect(home.verifier().verify(grant, expected(call)).kind).toBe('refused');
    expect(home.verifier().verify(grant, { ...expected(call), method: 'resources/read' as const }).kind).toBe(
      'refused',
    );
    const allowed = await home.ask(decideCall, { question: call, target: target() });
    if (allowed.kind !== 'allow' || allowed.grant === undefined) throw new Error('no grant');
    expect(home.verifier().verify(allowed.grant, dispatched(asked)).kind).toBe('refused');
  });

  it('never lets a grant outlive its target, nor a minute', async () => {
    const asked = about(user);
    await home.keepsGrantsShort(
      (until) => home.ask(decideItem, { question: asked, target: until }),
      dispatched(asked),
    );
  });

  it('asks about prompts by their own action, and completes what may be read', async () => {
    const asked = about(user, { item: prompt, method: 'prompts/get' });
    expect(await decide(asked)).toMatchObject({ kind: 'allow' });
    const file = home.own('no-prompts');
    await writeFile(
      file,
      '@reason("no prompts")\nforbid (principal, action == UAR::Action::"getPrompt", resource);\n',
    );
    await expect.poll(async () => (await decide(asked)).kind, { timeout: 20_000 }).toBe('deny');
    expect(await decide(about(user, { item: prompt, method: 'completion/complete' }))).toMatchObject({
      kind: 'deny',
      determining: ['t/no-prompts'],
    });
    for (const method of ['resources/read', 'completion/complete'] as const)
      expect(await decide(about(user, { method }))).toMatchObject({ kind: 'allow' });
    await rm(file);
    await expect.poll(async () => (await decide(asked)).kind, { timeout: 20_000 }).toBe('allow');
  });

  it('denies whom no policy permits, whose token ended, and who may not read', async () => {
    const stranger = caller('stranger', ['guest']);
    expect(await decide(about(stranger))).toMatchObject({ kind: 'deny', cause: 'not_permitted' });
    const expired = { ...user, principal: { ...user.principal, expires_at: Date.now() - 60_000 } };
    expect(await decide(about(expired))).toMatchObject({ kind: 'deny', cause: 'principal_expired' });
    const writer = { ...user, principal: { ...user.principal, capabilities: ['write' as const] } };
    expect(await decide(about(writer))).toMatchObject({ kind: 'deny', cause: 'capability_missing' });
    const inRun = { ...user, run_limits: { tool_approval: 'auto' as const, capabilities: [] } };
    expect(await decide(about(inRun))).toMatchObject({ kind: 'deny', cause: 'run_capability_missing' });
  });

  it('lists what it would let be read, and nothing else', async () => {
    const asked = [resource, prompt].map((item) => ({ kind: 'item' as const, item }));
    const kinds = async (who: Caller) => {
      const { decisions } = await home.ask(authorizeActions, { caller: who, questions: asked });
      return decisions.map(({ kind }) => kind);
    };
    expect(await kinds(user)).toEqual(['allow', 'allow']);
    expect(await kinds(caller('stranger', ['guest']))).toEqual(['deny', 'deny']);
    const inRun = { ...user, run_limits: { tool_approval: 'auto' as const, capabilities: [] } };
    expect(await kinds(inRun)).toEqual(['deny', 'deny']);
  });

  it('obeys a policy about one item', async () => {
    const name = 'no-secret-notes';
    await writeFile(
      home.own(name),
      '@reason("secret")\nforbid (principal, action == UAR::Action::"readResource", ' +
        'resource == UAR::Resource::"default/time/file:///notes/secret");\n',
    );
    const secret = { ...resource, id: 'file:///notes/secret' };
    await vi.waitFor(
      async () =>
        expect(await decide(about(user, { item: secret }))).toMatchObject({
          kind: 'deny',
          cause: 'forbidden',
          determining: [`t/${name}`],
        }),
      20_000,
    );
    expect(await decide(about(user))).toMatchObject({ kind: 'allow' });
    const questions = [resource, secret, resource].map((item) => ({ kind: 'item' as const, item }));
    const { decisions } = await home.ask(authorizeActions, { caller: user, questions });
    expect(decisions.map(({ kind }) => kind)).toEqual(['allow', 'deny', 'allow']);
    await rm(home.own(name));
  });

  it('asks an agent and the user it acts for', async () => {
    const agent = { title: 'Coder', description: '', owner: 'ada', max_risk: 2, scope: {} };
    home.settings.write('default', agentsNamespace, { key: 'coder', value: agent });
    const acting = { ...user, principal: { ...user.principal, agent_id: 'coder' } };
    const causeOf = async (who: Caller) => {
      const decision = await decide(about(who));
      return decision.kind === 'deny' ? decision.cause : 'allow';
    };
    await expect.poll(() => causeOf(acting), { timeout: 20_000 }).toBe('not_permitted');
    const file = home.own('agents-read');
    await writeFile(
      file,
      '@reason("agents read")\npermit (principal is UAR::Agent, action == UAR::Action::"readResource", resource);\n',
    );
    await expect.poll(() => causeOf(acting), { timeout: 20_000 }).toBe('allow');
    const forNobody = { ...caller('stranger', ['guest']).principal, agent_id: 'coder' };
    expect(await causeOf({ ...user, principal: forNobody })).toBe('not_permitted');
    await rm(file);
    home.settings.write('default', agentsNamespace, { key: 'coder', value: null });
    await expect.poll(() => causeOf(acting), { timeout: 20_000 }).toBe('agent_unknown');
  });

  it('denies under the kill switch, and whoever is suspended', async () => {
    const set = (members: object) =>
      home.settings.write('default', 'tenant', { key: 'settings', value: { set: members, file: {} } });
    const decided = async () => {
      const decision = await decide(about(user));
      return decision.kind === 'deny' ? decision.determining.join(' ') : 'allow';
    };
    set({ kill_switch: true });
    await expect.poll(decided, { timeout: 20_000 }).toBe('p/kill-switch');
    set({ suspended: { users: ['user'], agents: [] } });
    await expect.poll(decided, { timeout: 20_000 }).toBe('p/suspended-consume');
    set({});
    await expect.poll(decided, { timeout: 20_000 }).toBe('allow');
  });
});

withBothBuses('a decider without governance, asked about items', (connect) => {
  let folder: string;
  let running: RunningService;
  let gateway: Bus;
  let settings: SettingsLedger;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'decider-'));
    const config = testConfig({ data_dir: folder, governance: { enabled: false } });
    settings = await answerSettings(connect);
    running = await service.start({ config, bus: await connect('governance-decider'), log });
    gateway = await connect('gateway');
  });
  afterAll(async () => {
    await running.stop();
    await rm(folder, { recursive: true });
  });

  it('lets everybody of the tenant read, until the kill switch', async () => {
    const decided = async () => {
      const asked = { question: about(caller('x', [])), target: target() };
      const reply = await gateway.ask(decideItem, asked, { deadlineMs: 30_000 });
      if (reply.kind === 'fault') return reply.fault;
      return reply.value.kind === 'deny' ? reply.value.cause : reply.value.governance;
    };
    await expect.poll(decided, { timeout: 20_000 }).toBe('off');
    const value = { set: { kill_switch: true }, file: {} };
    settings.write('default', 'tenant', { key: 'settings', value });
    await expect.poll(decided, { timeout: 20_000 }).toBe('kill_switch');
  });
});
