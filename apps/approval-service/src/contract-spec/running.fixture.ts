import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AskHandler, Bus, Reply } from '@uar/bus';
import type { ResolvedConfig } from '@uar/config';
import {
  approvalRequired,
  approvalSettled,
  authorizeActions,
  principalId,
  readPresence,
  reviewVotes,
  type ActionQuestion,
  type ApprovalStatus,
  type Caller,
  type Exchange,
} from '@uar/contracts';
import type { RunningService } from '@uar/service';
import { createLog } from '@uar/telemetry';
import { testConfig, type ConnectBus } from '@uar/testkit';
import { service } from '../module.js';

const log = createLog({ service: 'test', level: 'silent' });

/** The value of a reply; a fault fails the test that did not expect one. */
export function value<E extends Exchange>(reply: Reply<E>) {
  if (reply.kind === 'fault') throw new Error(`${reply.fault}: ${reply.message}`);
  return reply.value;
}

export interface Deployment {
  readonly dataDir: string;
  /** Starts the service on its data folder, again after `stop`. */
  start(): Promise<RunningService>;
  stop(): Promise<void>;
  end(): Promise<void>;
}

/** The service as it is deployed, on a data folder of its own. */
export function deployment(
  connect: ConnectBus,
  changes: object = {},
  resolved: (config: ResolvedConfig) => ResolvedConfig = (config) => config,
): Deployment {
  const home = mkdtempSync(join(tmpdir(), 'uar-approvals-'));
  const dataDir = join(home, 'data');
  const config = resolved(testConfig({ data_dir: dataDir, ...changes }));
  let running: RunningService | undefined;
  const stop = async () => {
    await running?.stop();
    running = undefined;
  };
  return {
    dataDir,
    async start() {
      running = await service.start({ config, log, bus: await connect('approval-service') });
      return running;
    },
    stop,
    async end() {
      await stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The PDP's half of the contract, with rules as in GOVERNANCE.md: role `approver` decides and sees, a party never decides. */
export async function playDecider(bus: Bus): Promise<void> {
  bus.answer(authorizeActions, ({ caller, questions }) => ({
    policy_version: 'sha256:policies',
    decisions: questions.map((question) => decide(caller, question)),
  }));
  await bus.flush();
}

function decide({ principal }: Caller, question: ActionQuestion) {
  if (question.kind !== 'approval') return refusal('not_permitted');
  const me = principalId(principal);
  const isParty = question.resource.parties.some((party) => principalId(party) === me);
  if (question.action === 'viewApproval' && isParty) return { kind: 'allow' as const };
  if (!principal.roles.includes('approver')) return refusal('not_permitted');
  return isParty ? refusal('forbidden') : { kind: 'allow' as const };
}

function refusal(cause: string) {
  return { kind: 'deny' as const, cause, determining: [] };
}

/** A gateway that does nothing but to be there. */
export async function present(connect: ConnectBus): Promise<Bus> {
  const bus = await connect('gateway');
  bus.answer(readPresence, () => ({ present: true }));
  await bus.flush();
  return bus;
}

/** A gateway's half: it reviews votes and hears announcements. */
export interface PlayedGateway {
  readonly bus: Bus;
  readonly settled: { approval_id: string; status: ApprovalStatus }[];
  readonly required: string[];
  /** Resolves once this announcement was heard, at once when it already was. */
  heard(approvalId: string, status: ApprovalStatus): Promise<void>;
  onRequired(listener: (approvalId: string) => void): void;
}

export async function playGateway(
  bus: Bus,
  review: AskHandler<typeof reviewVotes> = () => ({ kind: 'released' }),
): Promise<PlayedGateway> {
  const settled: PlayedGateway['settled'] = [];
  const required: string[] = [];
  const waiting: { approvalId: string; status: ApprovalStatus; resolve: () => void }[] = [];
  const listeners: ((approvalId: string) => void)[] = [];
  bus.answer(reviewVotes, review);
  bus.answer(readPresence, () => ({ present: true }));
  bus.listen(approvalSettled, ({ approval_id, status }) => {
    settled.push({ approval_id, status });
    for (const each of waiting) if (each.approvalId === approval_id && each.status === status) each.resolve();
  });
  bus.listen(approvalRequired, ({ approval_id }) => {
    required.push(approval_id);
    for (const listener of listeners) listener(approval_id);
  });
  await bus.flush();
  return {
    bus,
    settled,
    required,
    heard: (approvalId, status) =>
      new Promise((resolve) => {
        waiting.push({ approvalId, status, resolve });
        if (settled.some((each) => each.approval_id === approvalId && each.status === status)) resolve();
      }),
    onRequired: (listener) => void listeners.push(listener),
  };
}
