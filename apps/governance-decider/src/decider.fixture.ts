import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '@uar/bus';
import {
  ToolFacts,
  decideCall,
  type AnswerOf,
  type AskOf,
  type decideItem,
  type Exchange,
  type GrantTarget,
} from '@uar/contracts';
import { createGrantVerifier, type ExpectedCall } from '@uar/grant';
import { argumentsDigest } from '@uar/json-text';
import { readPublicKey } from '@uar/keys';
import type { RunningService } from '@uar/service';
import { createLog } from '@uar/telemetry';
import { testConfig, type ConnectBus } from '@uar/testkit';
import { expect, vi } from 'vitest';
import { copyShipped } from './adapters/cedar/questions.fixture.js';
import { service } from './module.js';
import { SettingsLedger } from './settings-ledger.fixture.js';

type CallQuestion = AskOf<typeof decideCall>['question'];

const instance = '0123456789abcdef';
export const log = createLog({ service: 'test', level: 'silent' });

export function tool(change: Partial<ToolFacts> = {}): ToolFacts {
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

export function caller(subject: string, roles: string[], channel: 'interactive' | 'api' = 'interactive') {
  const principal = {
    ...{ issuer: 'i', subject, tenant: 'default', kind: 'user', roles, groups: [], scopes: [], mfa: false },
    claims: {},
    // Modules outlive files in a run of the tests: longer than any of those.
    expires_at: Date.now() + 86_400_000,
  };
  return decideCall.ask.shape.question.shape.caller.parse({
    ...{ principal, channel, run_id: `run_${'0'.repeat(32)}`, session_id: '' },
  });
}

export function question(who: ReturnType<typeof caller>, about = tool(), argumentText = '{}'): CallQuestion {
  return decideCall.ask.shape.question.parse({
    call_id: `call_${'c'.repeat(32)}`,
    caller: who,
    tool: about,
    arguments_json: argumentText,
    arguments_digest: argumentsDigest(argumentText),
  });
}

export const user = caller('user', ['user']);
export const admin = caller('admin', ['admin']);
export const writes = tool({
  server: 'notes',
  raw_name: 'add',
  risk: 2,
  read_only: false,
  capabilities: ['read', 'write'],
});
export const target = () => ({ host: 'mcp' as const, instance, expires_at: Date.now() + 30_000 });

/** What a host is about to do when it runs this. */
export const expected = ({ call_id, arguments_digest, tool: about }: CallQuestion) => ({
  method: 'tools/call' as const,
  ...{ call_id, arguments_digest, tenant: about.tenant, server: about.server, raw_name: about.raw_name },
  definition_digest: about.definition_digest,
});

export async function answerSettings(connect: ConnectBus): Promise<SettingsLedger> {
  const bus = await connect('approval-service');
  const ledger = new SettingsLedger(bus);
  await bus.flush();
  return ledger;
}

/** The decider on a copy of the shipped policies, and the gateway's end of its exchanges. */
export class DeciderHome {
  gateway!: Bus;
  running!: RunningService;
  settings!: SettingsLedger;
  #folder = '';

  constructor(private readonly connect: ConnectBus) {}

  async open(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'decider-'));
    const policies_dir = join(this.#folder, 'policies');
    await copyShipped(policies_dir);
    this.settings = await answerSettings(this.connect);
    const config = testConfig({ data_dir: this.#folder, governance: { policies_dir } });
    this.running = await service.start({ config, bus: await this.connect('governance-decider'), log });
    this.gateway = await this.connect('gateway');
    const { running } = this;
    await vi.waitFor(async () => expect(await running.readiness()).toMatchObject({ ready: true }), 45_000);
  }

  async close(): Promise<void> {
    await this.running.stop();
    await rm(this.#folder, { recursive: true });
  }

  own(name: string): string {
    return join(this.#folder, 'policies/tenants/default', `${name}.cedar`);
  }

  async ask<E extends Exchange>(exchange: E, body: AskOf<E>): Promise<AnswerOf<E>> {
    const reply = await this.gateway.ask(exchange, body, { deadlineMs: 30_000 });
    if (reply.kind === 'fault') throw new Error(`${reply.fault}: ${reply.message}`);
    return reply.value;
  }

  /** Keeps that a grant ends with the target of its call, and a minute after it was given at the latest. */
  async keepsGrantsShort(
    decide: (target: GrantTarget) => Promise<AnswerOf<typeof decideCall | typeof decideItem>>,
    expected: ExpectedCall,
  ): Promise<void> {
    const until = async (expires_at: number) => {
      const decision = await decide({ ...target(), expires_at });
      if (decision.kind !== 'allow' || decision.grant === undefined) throw new Error('no grant');
      const found = this.verifier().verify(decision.grant, expected);
      return found.kind === 'valid' ? found.claims.expires_at : 0;
    };
    const soon = Date.now() + 5_000;
    expect(await until(soon)).toBe(soon);
    expect(await until(Date.now() + 3_600_000)).toBeLessThanOrEqual(Date.now() + 60_000);
  }

  /** A host of its own: it has used no grant yet. */
  verifier(of = instance) {
    const publicKeys = [readPublicKey(join(this.#folder, 'keys', 'grant.pub'))];
    return createGrantVerifier({ publicKeys, host: 'mcp', instance: of });
  }
}
