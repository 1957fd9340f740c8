import { mkdtempSync, rmSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHub, type Bus } from '@uar/bus';
import type { ResolvedConfig } from '@uar/config';
import {
  ToolFacts,
  authorizeActions,
  decideCall,
  discoverTools,
  issueGrant,
  policiesChanged,
  readGovernanceStatus,
  type AnswerOf,
  type AskOf,
  type Exchange,
} from '@uar/contracts';
import { createGrantVerifier } from '@uar/grant';
import { argumentsDigest } from '@uar/json-text';
import { readPublicKey } from '@uar/keys';
import type { RunningService } from '@uar/service';
import { createLog } from '@uar/telemetry';
import { testConfig, withBothBuses, type ConnectBus } from '@uar/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shippedFolder } from './adapters/cedar/questions.fixture.js';
import { service } from './module.js';
import { SettingsLedger } from './settings-ledger.fixture.js';

type CallQuestion = AskOf<typeof decideCall>['question'];

const instance = '0123456789abcdef';
const log = createLog({ service: 'test', level: 'silent' });

function tool(change: Partial<ToolFacts> = {}): ToolFacts {
  return ToolFacts.parse({
    ...{ tenant: 'default', server: 'time', raw_name: 'now', source: 'mcp', family: 'mcp' },
    ...{ capabilities: ['read'], risk: 0, read_only: true, destructive: false, idempotent: true },
    ...{ open_world: false, hints_trusted: true, enabled: true, pinned: true, quorum: 1, labels: [] },
    extractors: { paths: [], hosts: [], recipients: [] },
    secret_pointers: [],
    definition_digest: `sha256:${'a'.repeat(64)}`,
    ...change,
  });
}

function caller(subject: string, roles: string[], channel: 'interactive' | 'api' = 'interactive') {
  const principal = {
    ...{ issuer: 'i', subject, tenant: 'default', kind: 'user', roles, groups: [], scopes: [], mfa: false },
    claims: {},
    expires_at: Date.now() + 60_000,
  };
  return decideCall.ask.shape.question.shape.caller.parse({
    ...{ principal, channel, run_id: `run_${'0'.repeat(32)}`, session_id: '' },
  });
}

function question(who: ReturnType<typeof caller>, about = tool(), argumentText = '{}'): CallQuestion {
  return decideCall.ask.shape.question.parse({
    call_id: `call_${'c'.repeat(32)}`,
    caller: who,
    tool: about,
    arguments_json: argumentText,
    arguments_digest: argumentsDigest(argumentText),
  });
}

const user = caller('user', ['user']);
const admin = caller('admin', ['admin']);
const writes = tool({
  server: 'notes',
  raw_name: 'add',
  risk: 2,
  read_only: false,
  capabilities: ['read', 'write'],
});
async function withSettings(connect: ConnectBus): Promise<void> {
  const bus = await connect('approval-service');
  expect(new SettingsLedger(bus)).toBeDefined();
  await bus.flush();
}

const target = () => ({ host: 'mcp' as const, instance, expires_at: Date.now() + 30_000 });

withBothBuses('the decider', (connect) => {
  let gateway: Bus;
  let running: RunningService;
  let folder: string;
  let config: ResolvedConfig;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'decider-'));
    await cp(shippedFolder, join(folder, 'policies'), { recursive: true });
    config = testConfig({
      data_dir: folder,
      governance: { policies_dir: join(folder, 'policies') },
    });
    await withSettings(connect);
    const bus = await connect('governance-decider');
    running = await service.start({ config, bus, log });
    gateway = await connect('gateway');
  });
  afterAll(async () => {
    await running.stop();
    await rm(folder, { recursive: true });
  });

  async function ask<E extends Exchange>(exchange: E, body: AskOf<E>): Promise<AnswerOf<E>> {
    const reply = await gateway.ask(exchange, body, { deadlineMs: 15_000 });
    if (reply.kind === 'fault') throw new Error(`${reply.fault}: ${reply.message}`);
    return reply.value;
  }

  const verifier = () =>
    createGrantVerifier({
      publicKeys: [readPublicKey(join(folder, 'keys', 'grant.pub'))],
      host: 'mcp',
      instance,
    });

  const expected = ({ call_id, arguments_digest, tool: about }: CallQuestion) => ({
    ...{ call_id, arguments_digest, tenant: about.tenant, server: about.server, raw_name: about.raw_name },
    definition_digest: about.definition_digest,
  });

  it('is ready, and says what is loaded', async () => {
    expect(await running.readiness()).toEqual({ ready: true, problems: [] });
    const status = await ask(readGovernanceStatus, {});
    expect(status).toMatchObject({ governance: 'on', sets: [{ tenant: 'default', loaded: true }] });
  });

  it('allows with a grant that a host takes once', async () => {
    const asked = question(user, tool(), '{"tz":"UTC"}');
    const decision = await ask(decideCall, { question: asked, target: target() });
    expect(decision).toMatchObject({
      kind: 'allow',
      determining: ['t/user-unattended', 't/user-use'],
      governance: 'on',
    });
    if (decision.kind !== 'allow' || decision.grant === undefined) throw new Error('no grant');
    const host = verifier();
    expect(host.verify(decision.grant, expected(asked))).toMatchObject({
      kind: 'valid',
      claims: { principal: 'User::"default/user"', policy_version: decision.policy_version },
    });
    expect(host.verify(decision.grant, expected(asked))).toEqual({ kind: 'refused', cause: 'used' });
  });

  it('never lets a grant outlive the deadline of its call, nor a minute', async () => {
    const until = async (expires_at: number) => {
      const decision = await ask(decideCall, {
        question: question(user),
        target: { ...target(), expires_at },
      });
      if (decision.kind !== 'allow' || decision.grant === undefined) throw new Error('no grant');
      const found = verifier().verify(decision.grant, expected(question(user)));
      return found.kind === 'valid' ? found.claims.expires_at : 0;
    };
    const soon = Date.now() + 5_000;
    expect(await until(soon)).toBe(soon);
    expect(await until(Date.now() + 3_600_000)).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it('decides the same from memory, for each call anew', async () => {
    const first = await ask(decideCall, { question: question(user), target: target() });
    const second = await ask(decideCall, { question: question(user), target: target() });
    expect({ ...second, grant: '' }).toEqual({ ...first, grant: '' });
  });

  it('asks a human for a write by a user, and tells approvers why', async () => {
    expect(await ask(decideCall, { question: question(user, writes), target: target() })).toMatchObject({
      kind: 'require_approval',
      quorum: 1,
      determining: ['p/gate-risk'],
      reasons: ['risk tier is above what the tenant lets run unattended'],
    });
  });

  it('releases a write once an admin approved, by a ticket that becomes a grant', async () => {
    const asked = question(user, writes, '{"text":"x"}');
    const approval = { approval_id: `appr_${'1'.repeat(32)}`, requested_at: Date.now() - 1_000 };
    const without = await ask(decideCall, { question: asked, approval: { ...approval, approvers: [] } });
    expect(without.kind).toBe('require_approval');
    const approvers = [admin.principal];
    const released = await ask(decideCall, { question: asked, approval: { ...approval, approvers } });
    if (released.kind !== 'allow' || released.ticket === undefined) throw new Error('no ticket');
    expect(released.grant).toBeUndefined();
    const issued = await ask(issueGrant, { ticket: released.ticket, target: target() });
    if (issued.kind !== 'granted') throw new Error(issued.cause);
    expect(verifier().verify(issued.grant, expected(asked))).toMatchObject({
      kind: 'valid',
      claims: { approval_id: approval.approval_id },
    });
  });

  it('counts no vote of somebody who may not approve', async () => {
    const asked = question(user, writes);
    const approval = {
      approval_id: `appr_${'2'.repeat(32)}`,
      requested_at: Date.now(),
      approvers: [user.principal],
    };
    expect((await ask(decideCall, { question: asked, approval })).kind).toBe('require_approval');
  });

  it('issues nothing for a ticket that it did not sign', async () => {
    expect(await ask(issueGrant, { ticket: 'a.b.c', target: target() })).toEqual({
      kind: 'refused',
      cause: 'bad_ticket',
    });
    const decision = await ask(decideCall, { question: question(user), target: target() });
    const grant = decision.kind === 'allow' ? (decision.grant ?? '') : '';
    expect(await ask(issueGrant, { ticket: grant, target: target() })).toMatchObject({ kind: 'refused' });
  });

  it('refuses arguments that are not those of the digest', async () => {
    const asked = { ...question(user), arguments_digest: argumentsDigest('{"a":1}') };
    expect(await ask(decideCall, { question: asked })).toMatchObject({
      kind: 'deny',
      outcome: 'policy_denied',
      cause: 'digest_mismatch',
    });
  });

  it('says no to an agent that nobody registered', async () => {
    const agent = { ...user, principal: { ...user.principal, agent_id: 'coder' } };
    expect(await ask(decideCall, { question: question(agent) })).toMatchObject({
      kind: 'deny',
      outcome: 'policy_denied',
      cause: 'agent_unknown',
    });
  });

  it('tells which tools are seen and which would ask a human', async () => {
    const tools = [tool(), writes, tool({ enabled: false }), tool({ raw_name: 'later' })];
    const seen = await ask(discoverTools, { caller: user, tools });
    expect(seen.tools).toEqual([
      { kind: 'visible', approval: 'never' },
      { kind: 'visible', approval: 'always' },
      { kind: 'hidden' },
      { kind: 'visible', approval: 'never' },
    ]);
    const nothing = await ask(discoverTools, { caller: caller('guest', []), tools });
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
      (await ask(authorizeActions, { caller: who, questions })).decisions.map(({ kind }) => kind);
    expect(await kinds(user)).toEqual(['allow', 'deny', 'allow', 'deny', 'deny']);
    expect(await kinds(admin)).toEqual(['allow', 'allow', 'allow', 'allow', 'allow']);
    expect(await kinds(caller('guest', []))).toEqual(['deny', 'deny', 'deny', 'deny', 'deny']);
  });

  it('forgets decisions and tickets when policies change, and says so', async () => {
    const asked = question(user, writes);
    const approval = { approval_id: `appr_${'4'.repeat(32)}`, requested_at: Date.now() };
    const released = await ask(decideCall, {
      question: asked,
      approval: { ...approval, approvers: [admin.principal] },
    });
    if (released.kind !== 'allow' || released.ticket === undefined) throw new Error('no ticket');
    const changed = new Promise<string>((resolve) => {
      gateway.listen(policiesChanged, ({ version }) => resolve(version));
    });
    const text =
      'forbid (principal, action in UAR::Action::"invoke", resource in UAR::Server::"default/time");';
    await writeFile(join(folder, 'policies/tenants/default/no-time.cedar'), text);
    const version = await changed;
    expect(version).not.toBe(released.policy_version);
    expect(await ask(decideCall, { question: question(user) })).toMatchObject({
      kind: 'deny',
      outcome: 'policy_denied',
      cause: 'forbidden',
      determining: ['t/no-time'],
      policy_version: version,
    });
    expect(await ask(issueGrant, { ticket: released.ticket, target: target() })).toEqual({
      kind: 'refused',
      cause: 'policy_changed',
    });
  });
});

withBothBuses('the decider without Cedar', (connect) => {
  const folder = mkdtempSync(join(tmpdir(), 'decider-off-'));
  let gateway: Bus;
  let running: RunningService;
  beforeAll(async () => {
    const config = testConfig({ data_dir: folder, governance: { enabled: false } });
    await withSettings(connect);
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
