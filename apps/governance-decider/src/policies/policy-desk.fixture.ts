import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Bus } from '@uar/bus';
import {
  Caller,
  TenantId,
  readPolicies,
  writePolicies,
  type AnswerOf,
  type AskOf,
  type Exchange,
  type PoliciesView,
  type ProfileName,
} from '@uar/contracts';
import type { RunningService } from '@uar/service';
import { createLog } from '@uar/telemetry';
import { testConfig, type ConnectBus } from '@uar/testkit';
import { copyShipped } from '../adapters/cedar/questions.fixture.js';
import { service } from '../module.js';
import { PolicyLedger } from './policy-ledger.fixture.js';

const log = createLog({ service: 'test', level: 'silent' });

export const tenant = TenantId.parse('default');

function caller(subject: string, roles: readonly string[]): Caller {
  return Caller.parse({
    principal: {
      ...{
        issuer: 'i',
        subject,
        tenant,
        kind: 'user',
        roles,
        groups: [],
        scopes: [],
        mfa: false,
        claims: {},
      },
      expires_at: Date.now() + 86_400_000,
    },
    channel: 'interactive',
    run_id: `run_${'0'.repeat(32)}`,
    session_id: '',
  });
}

export const ada = caller('ada', ['admin']);
export const bob = caller('bob', ['admin']);
export const uma = caller('uma', ['user']);

/** For `expect.poll`: what follows within two seconds, on a machine that is busy with other specs. */
export const soon = { timeout: 20_000 };

/** A forbid on one tool server: sound in every tenant. */
export const forbidOf = (server: string): string =>
  `forbid (principal, action in UAR::Action::"invoke", resource in UAR::Server::"default/${server}");\n`;

/** The decider on a folder and a ledger of its own, and the gateway's end of its exchanges. */
export class PolicyHome {
  ledger!: PolicyLedger;
  gateway!: Bus;
  folder = '';
  /** The replica that was started last. */
  running: RunningService | undefined;
  readonly #replicas: RunningService[] = [];

  constructor(
    private readonly connect: ConnectBus,
    private readonly profile: ProfileName = 'minimal',
  ) {}

  async open(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'policy-home-'));
    await copyShipped(join(this.folder, 'policies'));
    this.ledger = await PolicyLedger.open(await this.connect('approval-service'));
    this.gateway = await this.connect('gateway');
    await this.start();
  }

  async start(): Promise<void> {
    const policies_dir = join(this.folder, 'policies');
    const config = testConfig({ profile: this.profile, data_dir: this.folder, governance: { policies_dir } });
    this.running = await service.start({ config, log, bus: await this.connect('governance-decider') });
    this.#replicas.push(this.running);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#replicas.splice(0).map((replica) => replica.stop()));
    this.running = undefined;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.ledger.close();
    await rm(this.folder, { recursive: true });
  }

  own(name: string): string {
    return join(this.folder, 'policies/tenants/default', `${name}.cedar`);
  }

  platform(name: string): string {
    return join(this.folder, 'policies/platform', `${name}.cedar`);
  }

  /** The tenant's texts as the folder holds them. */
  async folderTexts(): Promise<Record<string, string>> {
    const at = join(this.folder, 'policies/tenants/default');
    const names = await readdir(at);
    const texts = names.map(async (name) => [
      `t/${basename(name, '.cedar')}`,
      await readFile(join(at, name), 'utf8'),
    ]);
    return Object.fromEntries(await Promise.all(texts));
  }

  async ask<E extends Exchange>(exchange: E, body: AskOf<E>): Promise<AnswerOf<E>> {
    const reply = await this.gateway.ask(exchange, body, { deadlineMs: 30_000 });
    if (reply.kind === 'fault') throw new Error(`${reply.fault}: ${reply.message}`);
    return reply.value;
  }

  async view(): Promise<PoliciesView> {
    const answer = await this.ask(readPolicies, { tenant });
    if (answer.kind !== 'read') throw new Error(answer.kind);
    return answer.view;
  }

  async version(): Promise<string> {
    return (await this.view()).version;
  }

  /** Puts texts in force, over what is in force now unless told otherwise. */
  async put(policies: Record<string, string>, change: Partial<AskOf<typeof writePolicies>> = {}) {
    const if_version = change.if_version ?? (await this.version());
    return this.ask(writePolicies, {
      ...{ caller: ada, change: { kind: 'texts', policies }, dry_run: false },
      ...change,
      if_version,
    });
  }
}
