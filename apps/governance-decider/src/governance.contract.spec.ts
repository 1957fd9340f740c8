import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHub, type Bus } from '@uar/bus';
import {
  authorizeActions,
  decideCall,
  discoverTools,
  hosts,
  readGovernanceStatus,
  CallId,
  type AskOf,
} from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import type { RunningService } from '@uar/service';
import { testConfig, withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  DeciderHome,
  admin,
  answerSettings,
  caller,
  expected,
  log,
  question,
  target,
  tool,
  user,
  writes,
} from './decider.fixture.js';
import { service } from './module.js';

withBothBuses('the decider', (connect) => {
  const home = new DeciderHome(connect);
  beforeAll(() => home.open());
  afterAll(() => home.close());

  it('is ready, and says what is loaded', async () => {
    expect(await home.running.readiness()).toEqual({ ready: true, problems: [] });
    const status = await home.ask(readGovernanceStatus, {});
    expect(status).toMatchObject({ governance: 'on', sets: [{ tenant: 'default', loaded: true }] });
  });

  it('allows with a grant that a host takes once', async () => {
    const asked = question(user, tool(), '{"tz":"UTC"}');
    const decision = await home.ask(decideCall, { question: asked, target: target() });
    expect(decision).toMatchObject({
      kind: 'allow',
      determining: ['t/user-unattended', 't/user-use'],
      governance: 'on',
    });
    if (decision.kind !== 'allow' || decision.grant === undefined) throw new Error('no grant');
    const host = home.verifier();
    expect(host.verify(decision.grant, expected(asked))).toMatchObject({
      kind: 'valid',
      claims: { principal: 'User::"default/user"', policy_version: decision.policy_version },
    });
    expect(host.verify(decision.grant, expected(asked))).toEqual({ kind: 'refused', cause: 'used' });
  });

  it('grants without a signature under a key that the host agreed on', async () => {
    const bus = await connect('mcp-connector');
    const { instance } = bus;
    const host = home.verifier(instance);
    bus.answer(hosts.mcp.agreeKey, ({ offer }) => host.agree(offer));
    await bus.flush();
    const asked = { ...question(user), call_id: CallId.parse(`call_${'d'.repeat(32)}`) };
    const granted = async () => {
      const decision = await home.ask(decideCall, { question: asked, target: { ...target(), instance } });
      return decision.kind === 'allow' ? String(decision.grant) : '';
    };
    const header = async () => Buffer.from((await granted()).split('.')[0] ?? '', 'base64url').toString();
    await expect.poll(header).toContain('"alg":"HS256"');
    expect(host.verify(await granted(), expected(asked)).kind).toBe('valid');
    expect(home.verifier(instance).verify(await granted(), expected(asked))).toEqual({
      kind: 'refused',
      cause: 'unknown_key',
    });
    await bus.close();
  });

  it('never lets a grant outlive the deadline of its call, nor a minute', async () => {
    const asked = question(user);
    await home.keepsGrantsShort(
      (until) => home.ask(decideCall, { question: asked, target: until }),
      expected(asked),
    );
  });

  it('decides the same from memory, for each call anew', async () => {
    const first = await home.ask(decideCall, { question: question(user), target: target() });
    const second = await home.ask(decideCall, { question: question(user), target: target() });
    expect({ ...second, grant: '' }).toEqual({ ...first, grant: '' });
  });

  it('refuses arguments that are not those of the digest', async () => {
    const asked = { ...question(user), arguments_digest: argumentsDigest('{"a":1}') };
    expect(await home.ask(decideCall, { question: asked })).toMatchObject({
      kind: 'deny',
      outcome: 'policy_denied',
      cause: 'digest_mismatch',
    });
  });

  it('says no to an agent that nobody registered', async () => {
    const agent = { ...user, principal: { ...user.principal, agent_id: 'coder' } };
    expect(await home.ask(decideCall, { question: question(agent) })).toMatchObject({
      kind: 'deny',
      outcome: 'policy_denied',
      cause: 'agent_unknown',
    });
  });

  it('tells which tools are seen and which would ask a human', async () => {
    const tools = [tool(), writes, tool({ enabled: false }), tool({ raw_name: 'later' })];
    const seen = await home.ask(discoverTools, { caller: user, tools });
    expect(seen.tools).toEqual([
      { kind: 'visible', approval: 'never' },
      { kind: 'visible', approval: 'always' },
      { kind: 'hidden' },
      { kind: 'visible', approval: 'never' },
    ]);
    const nothing = await home.ask(discoverTools, { caller: caller('guest', []), tools });
    expect(nothing.tools.every(({ kind }) => kind === 'hidden')).toBe(true);
  });

  it('authorizes actions one by one, in order', async () => {
    const resource = authorizeActions.ask.shape.questions.element.options[2].shape.resource.parse({
      ...{
        approval_id: `appr_${'3'.repeat(32)}`,
        tenant: 'default',
        tool: writes,
        parties: [user.principal],
      },
      expires_at: Date.now() + 60_000,
    });
    const questions: AskOf<typeof authorizeActions>['questions'] = [
      { kind: 'list_tools' },
      { kind: 'admin', action: 'manageServers' },
      { kind: 'approval', action: 'viewApproval', resource },
      { kind: 'approval', action: 'approve', resource },
      { kind: 'admin', action: 'managePolicies', authors: [admin.principal] },
    ];
    const kinds = async (who: typeof user) =>
      (await home.ask(authorizeActions, { caller: who, questions })).decisions.map(({ kind }) => kind);
    expect(await kinds(user)).toEqual(['allow', 'deny', 'allow', 'deny', 'deny']);
    expect(await kinds(admin)).toEqual(['allow', 'allow', 'allow', 'allow', 'allow']);
    expect(await kinds(caller('guest', []))).toEqual(['deny', 'deny', 'deny', 'deny', 'deny']);
  });
});

withBothBuses('the decider without Cedar', (connect) => {
  const folder = mkdtempSync(join(tmpdir(), 'decider-off-'));
  let gateway: Bus;
  let running: RunningService;
  beforeAll(async () => {
    const config = testConfig({ data_dir: folder, governance: { enabled: false } });
    await answerSettings(connect);
    running = await service.start({ config, bus: await connect('governance-decider'), log });
    gateway = await connect('gateway');
  });
  afterAll(async () => {
    await running.stop();
    rmSync(folder, { recursive: true });
  });

  it('still gates by risk, and says that governance is off', async () => {
    const kinds = [];
    for (const about of [
      tool(),
      writes,
      tool({ pinned: false }),
      tool({ tenant: tool().tenant, enabled: false }),
    ]) {
      const reply = await gateway.ask(decideCall, {
        question: question(caller('x', []), about),
        target: target(),
      });
      if (reply.kind === 'fault') throw new Error(reply.message);
      expect(reply.value).toMatchObject({ governance: 'off', policy_version: 'off' });
      kinds.push(reply.value.kind === 'deny' ? reply.value.outcome : reply.value.kind);
    }
    expect(kinds).toEqual(['allow', 'require_approval', 'quarantined', 'unknown_tool']);
  });
});

it('a decider in server-full does not start without Cedar', async () => {
  const hub = createHub();
  const config = testConfig({ profile: 'server-full', governance: { enabled: false } });
  const started = service.start({ config, bus: hub.connect({ service: 'governance-decider', log }), log });
  await expect(started).rejects.toThrow('minimal only');
  await hub.close();
});
