import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus, Reply } from '@uar/bus';
import {
  ToolFacts,
  authorizeActions,
  decideCall,
  discoverTools,
  issueGrant,
  policiesChanged,
  readGovernanceStatus,
} from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import type { RunningService } from '@uar/service';
import { createLog } from '@uar/telemetry';
import { testConfig, withBothBuses } from '@uar/testkit';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { copyShipped } from './adapters/cedar/questions.fixture.js';
import { service } from './module.js';
import { SettingsLedger } from './settings-ledger.fixture.js';

const log = createLog({ service: 'test', level: 'silent' });

const tool = ToolFacts.parse({
  ...{ tenant: 'default', server: 'time', raw_name: 'now', source: 'mcp', family: 'mcp' },
  ...{ capabilities: ['read'], risk: 1, read_only: true, destructive: false, idempotent: true },
  ...{ open_world: false, hints_trusted: true, enabled: true, pinned: true, quorum: 1, labels: [] },
  extractors: { paths: [], hosts: [], recipients: [] },
  secret_pointers: [],
  definition_digest: `sha256:${'a'.repeat(64)}`,
});
const fileTool = ToolFacts.parse({ ...tool, server: 'native', source: 'native', family: 'native.file' });

const Caller = decideCall.ask.shape.question.shape.caller;
function caller(subject: string, change: object = {}) {
  const principal = {
    ...{ issuer: 'i', subject, tenant: 'default', kind: 'user', roles: ['admin'], groups: [], scopes: [] },
    ...{ mfa: false, claims: {}, expires_at: Date.now() + 86_400_000 },
    ...change,
  };
  return Caller.parse({ principal, channel: 'api', run_id: `run_${'0'.repeat(32)}`, session_id: '' });
}

withBothBuses('settings of the decider', (connect) => {
  let gateway: Bus;
  let ledgerBus: Bus;
  let ledger: SettingsLedger;
  let running: RunningService;
  let folder: string;
  let told: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'decider-settings-'));
    await copyShipped(join(folder, 'policies'));
    await writeFile(
      join(folder, 'policies/tenants/default/agents.cedar'),
      '@reason("agents use tools")\npermit (principal is UAR::Agent, action in ' +
        '[UAR::Action::"discoverTool", UAR::Action::"callTool", UAR::Action::"callToolUnattended"], resource);',
    );
    const config = testConfig({
      data_dir: folder,
      governance: { policies_dir: join(folder, 'policies') },
      tenants: { default: { max_unattended_risk: 1 } },
    });
    gateway = await connect('gateway');
    told = [];
    gateway.listen(policiesChanged, ({ tenant }) => told.push(tenant));
    await gateway.flush();
    running = await service.start({ config, bus: await connect('governance-decider'), log });
  });
  afterAll(async () => {
    await running.stop();
    await rm(folder, { recursive: true });
  });
  afterEach(() => set({}));

  const set = (members: object) =>
    ledger.write('default', 'tenant', { key: 'settings', value: { set: members, file: {} } });

  function decide(who = caller('ada'), about = tool): Promise<Reply<typeof decideCall>> {
    const question = decideCall.ask.shape.question.parse({
      call_id: `call_${'c'.repeat(32)}`,
      ...{ caller: who, tool: about, arguments_json: '{}', arguments_digest: argumentsDigest('{}') },
    });
    return gateway.ask(decideCall, { question }, { deadlineMs: 30_000 });
  }

  async function decided(who = caller('ada'), about = tool): Promise<string> {
    const reply = await decide(who, about);
    if (reply.kind === 'fault') return reply.fault;
    return reply.value.kind === 'deny' ? reply.value.outcome : reply.value.kind;
  }

  it('decides nothing before the settings were read, and says so', async () => {
    expect(await decided()).toBe('unknown_tool');
    const reply = await gateway.ask(authorizeActions, {
      caller: caller('ada'),
      questions: [{ kind: 'list_tools' }],
    });
    expect(reply).toMatchObject({ value: { decisions: [{ kind: 'deny', cause: 'policies_unavailable' }] } });
    const { ready, problems } = await running.readiness();
    expect(ready).toBe(false);
    expect(problems).toContain('the tenant settings were not read yet');
    const told = expect.arrayContaining(['the tenant settings were not read yet']);
    expect(await gateway.ask(readGovernanceStatus, {})).toMatchObject({ value: { problems: told } });
    ledgerBus = await connect('approval-service');
    ledger = new SettingsLedger(ledgerBus);
    await ledgerBus.flush();
    await expect.poll(decided, { timeout: 45_000 }).toBe('allow');
    expect(await running.readiness()).toEqual({ ready: true, problems: [] });
  });

  it('denies every call of a tenant from the moment its kill switch is on, and of no other', async () => {
    expect(await decided()).toBe('allow');
    set({ kill_switch: true });
    await expect.poll(() => decided(), { timeout: 1_000 }).toBe('policy_denied');
    ledger.write('other', 'tenant', { key: 'settings', value: { set: {}, file: {} } });
    expect(await decided()).toBe('policy_denied');
    set({ kill_switch: false });
    await expect.poll(() => decided(), { timeout: 1_000 }).toBe('allow');
  });

  it('grants nothing on a ticket from before the kill switch or a suspension', async () => {
    const question = decideCall.ask.shape.question.parse({
      call_id: `call_${'d'.repeat(32)}`,
      ...{ caller: caller('ada'), tool: ToolFacts.parse({ ...tool, risk: 3, capabilities: ['write'] }) },
      ...{ arguments_json: '{}', arguments_digest: argumentsDigest('{}') },
    });
    const approval = {
      approval_id: `appr_${'1'.repeat(32)}`,
      requested_at: Date.now(),
      approvers: [{ ...question.caller.principal, subject: 'otto' }],
    };
    const ticket = async (): Promise<string> => {
      const reply = await gateway.ask(decideCall, { question, approval }, { deadlineMs: 30_000 });
      if (reply.kind === 'fault' || reply.value.kind !== 'allow') throw new Error(JSON.stringify(reply));
      return reply.value.ticket ?? '';
    };
    const target = { host: 'mcp', instance: '0123456789abcdef', expires_at: Date.now() + 30_000 };
    const issue = async (text: string) => {
      const reply = await gateway.ask(issueGrant, issueGrant.ask.parse({ ticket: text, target }));
      if (reply.kind === 'fault') return reply.fault;
      return reply.value.kind === 'granted' ? 'granted' : reply.value.cause;
    };
    const held = await ticket();
    expect(await issue(held)).toBe('granted');
    set({ kill_switch: true });
    await expect.poll(() => issue(held), { timeout: 1_000 }).toBe('kill_switch');
    set({ suspended: { users: ['ada'], agents: [] } });
    await expect.poll(() => issue(held), { timeout: 1_000 }).toBe('suspended');
    set({});
    await expect.poll(() => issue(held), { timeout: 1_000 }).toBe('granted');
  });

  it('tells gateways of each change, so that they forget their lists', async () => {
    told.length = 0;
    set({ kill_switch: true });
    await expect.poll(() => told, { timeout: 1_000 }).toEqual(['default']);
  });

  it('asks a human for what is above the risk that may run unattended', async () => {
    set({ max_unattended_risk: 0 });
    await expect.poll(() => decided(), { timeout: 1_000 }).toBe('require_approval');
  });

  it('knows registered agents, and suspends agents and users', async () => {
    const agent = caller('ada', { agent_id: 'coder' });
    expect(await decided(agent)).toBe('policy_denied');
    const body = { title: 'Coder', description: '', owner: 'ada', max_risk: 2, scope: {} };
    ledger.write('default', 'agent', { key: 'coder', value: body });
    await expect.poll(() => decided(agent), { timeout: 1_000 }).toBe('allow');
    set({ suspended: { users: ['uma'], agents: ['coder'] } });
    await expect.poll(() => decided(agent), { timeout: 1_000 }).toBe('unknown_tool');
    expect(await decided(caller('uma'))).toBe('unknown_tool');
    expect(await decided(caller('ada'))).toBe('allow');
  });

  it('decides nothing of a tenant whose stored settings cannot be read, and goes on with the others', async () => {
    ledger.write('default', 'tenant', { key: 'settings', value: { set: { kill_switch: 'yes' }, file: {} } });
    await expect.poll(() => decided(), { timeout: 1_000 }).toBe('faulted');
    expect(await running.readiness()).toEqual({
      ready: true,
      problems: ['the stored tenant settings of default are unreadable (settings)'],
    });
    const other = caller('ada', { tenant: 'other' });
    expect(await decided(other, ToolFacts.parse({ ...tool, tenant: 'other' }))).toBe('unknown_tool');
  });

  it('shows native tools where their family is switched on, for every tenant', async () => {
    const seen = async () => {
      const reply = await gateway.ask(discoverTools, { caller: caller('ada'), tools: [fileTool] });
      return reply.kind === 'fault' ? reply.fault : reply.value.tools[0]?.kind;
    };
    await expect.poll(seen, { timeout: 1_000 }).toBe('hidden');
    told.length = 0;
    ledger.write('default', 'native-tools', {
      key: 'settings',
      value: { set: { file_tools_enabled: true }, file: {} },
    });
    await expect.poll(seen, { timeout: 1_000 }).toBe('visible');
    expect(told).toEqual(expect.arrayContaining(['default', 'other']));
  });
});
