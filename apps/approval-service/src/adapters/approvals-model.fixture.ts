import {
  principalId,
  type ActionQuestion,
  type ApprovalDraft,
  type ApprovalStatus,
  type Caller,
  type Principal,
} from '@uar/contracts';
import type { Ledger } from '@uar/ledger';
import fc from 'fast-check';
import { approver, consumption } from '../contract-spec/samples.fixture.js';
import { afterEvent, type ApprovalEvent } from '../domain/approval-steps.js';
import { Approvals } from '../domain/approvals.js';
import { Lifecycle } from '../domain/lifecycle.js';
import type { ApprovalRecord } from '../domain/ports.js';
import { Votes } from '../domain/votes.js';

export type Action =
  | { kind: 'vote'; by: string; decision: 'approve' | 'reject' }
  | { kind: 'end'; as: 'cancelled' | 'channel_closed' | 'expired' | 'spent' }
  | { kind: 'consume'; fitting: boolean }
  | { kind: 'wait'; ms: number };

export const lifetimeMs = 1_000;
export const anyAction: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    kind: fc.constant('vote' as const),
    by: fc.constantFrom('sam', 'sue', 'sid'),
    decision: fc.constantFrom('approve' as const, 'approve' as const, 'approve' as const, 'reject' as const),
  }),
  fc.record({
    kind: fc.constant('end' as const),
    as: fc.constantFrom(
      'cancelled' as const,
      'channel_closed' as const,
      'expired' as const,
      'spent' as const,
    ),
  }),
  fc.record({ kind: fc.constant('consume' as const), fitting: fc.boolean() }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: lifetimeMs }) }),
);
const endEvents = {
  cancelled: 'cancel',
  channel_closed: 'close_channel',
  expired: 'expire',
  spent: 'spend',
} as const satisfies Record<string, ApprovalEvent>;

/** What should be true of one record, in plain values. */
export class Model {
  status: ApprovalStatus = 'pending';
  readonly approvers = new Set<string>();
  rejected = false;
  now = 1_000_000;
  intents = 0;
  votes = 0;

  constructor(
    readonly quorum: number,
    readonly expiresAt: number,
  ) {}

  event(event: ApprovalEvent): boolean {
    const next = afterEvent(this.status, event);
    this.status = next ?? this.status;
    return next !== undefined;
  }

  apply(action: Action): void {
    if (action.kind === 'wait') this.now += action.ms;
    if (this.now >= this.expiresAt) this.event('expire');
    if (action.kind === 'end') this.event(endEvents[action.as]);
    if (action.kind === 'consume' && action.fitting && this.event('consume')) this.intents += 1;
    if (action.kind === 'vote' && this.status === 'pending') this.vote(action);
  }

  private vote({ by, decision }: Extract<Action, { kind: 'vote' }>): void {
    if (decision === 'reject') {
      this.votes += 1;
      this.event('reject');
      return;
    }
    if (!this.approvers.has(by)) this.votes += 1;
    this.approvers.add(by);
    if (this.approvers.size >= this.quorum) this.event('release');
  }
}

const denied = { kind: 'deny' as const, cause: 'forbidden', determining: [] };

function isParty(principal: Principal, question: ActionQuestion): boolean {
  if (question.kind !== 'approval') return false;
  return question.resource.parties.some((party) => principalId(party) === principalId(principal));
}

/** The domain as the app wires it; the PDP allows all but self-approval, the call's holder releases at the quorum. */
export function wired(store: Ledger, model: Model) {
  const settled: ApprovalRecord[] = [];
  const clock = { now: () => model.now };
  const announcer = {
    required: () => undefined,
    settled: (record: ApprovalRecord) => void settled.push(record),
  };
  const owners = { read: () => Promise.resolve(() => undefined) };
  const authority = {
    authorize: ({ principal }: Caller, questions: readonly ActionQuestion[]) =>
      Promise.resolve({
        kind: 'decided' as const,
        policy_version: 'v',
        decisions: questions.map((question) =>
          isParty(principal, question) ? denied : { kind: 'allow' as const },
        ),
      }),
  };
  const holder = {
    review: (_: string, { approvers }: { approvers: readonly unknown[] }) =>
      Promise.resolve(approvers.length >= model.quorum ? ('released' as const) : ('not_released' as const)),
  };
  const alarm = { setFor: () => undefined };
  const limits = { maxPending: 1e6, maxNewPerMinute: 1e6 };
  const setting = { governance: 'on', profile: 'minimal' } as const;
  const lifecycle = new Lifecycle({ store, announcer, clock });
  const approvals = new Approvals({ store, authority, announcer, owners, alarm, clock, limits });
  const votes = new Votes({ store, lifecycle, authority, holder, announcer, owners, clock, setting });
  return { lifecycle, approvals, votes, settled };
}

export function consumptionOf(made: ApprovalDraft, fitting: boolean) {
  const ask = consumption(made);
  return fitting ? ask : { ...ask, arguments_digest: `sha256:${'0'.repeat(64)}` };
}

export async function act(
  { lifecycle, approvals, votes }: ReturnType<typeof wired>,
  made: ApprovalDraft,
  action: Action,
) {
  const { approval_id } = made;
  switch (action.kind) {
    case 'vote':
      return votes.cast({ caller: approver(action.by), approval_id, decision: action.decision });
    case 'end':
      await lifecycle.expireDue();
      return lifecycle.end({ approval_id, as: action.as });
    case 'consume':
      return approvals.consume(consumptionOf(made, action.fitting));
    case 'wait':
      return lifecycle.expireDue();
  }
}
