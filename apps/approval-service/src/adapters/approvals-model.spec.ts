import { generateKeyPairSync } from 'node:crypto';
import { principalId, type ApprovalDraft, type ApprovalStatus, type Receipt } from '@uar/contracts';
import { createSeal } from '@uar/keys';
import { openLedger, type Ledger } from '@uar/ledger';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { afterEvent, type ApprovalEvent } from '../domain/approval-steps.js';
import { Approvals } from '../domain/approvals.js';
import { Lifecycle } from '../domain/lifecycle.js';
import type { ApprovalRecord } from '../domain/ports.js';
import { Votes } from '../domain/votes.js';
import { acme, approver, consumption, draft } from '../contract-spec/samples.fixture.js';

type Action =
  | { kind: 'vote'; by: string; decision: 'approve' | 'reject' }
  | { kind: 'end'; as: 'cancelled' | 'channel_closed' | 'expired' | 'spent' }
  | { kind: 'consume'; fitting: boolean }
  | { kind: 'wait'; ms: number };

const lifetimeMs = 1_000;
const anyAction: fc.Arbitrary<Action> = fc.oneof(
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
class Model {
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

describe('approvals over a ledger', () => {
  let ledger: Ledger;
  beforeAll(async () => {
    const signingKey = generateKeyPairSync('ed25519').privateKey;
    ledger = await openLedger({ file: ':memory:', seal: createSeal('s'.repeat(32)), signingKey });
  });
  afterAll(() => ledger.close());

  /** The domain as the app wires it; the PDP allows everything, the call's holder releases at the quorum. */
  function wired(model: Model) {
    const settled: ApprovalRecord[] = [];
    const clock = { now: () => model.now };
    const announcer = {
      required: () => undefined,
      settled: (record: ApprovalRecord) => void settled.push(record),
    };
    const owners = { read: () => Promise.resolve(() => undefined) };
    const authority = {
      authorize: () =>
        Promise.resolve({
          kind: 'decided' as const,
          policy_version: 'v',
          decisions: [{ kind: 'allow' as const }],
        }),
    };
    const holder = {
      review: (_: string, { approvers }: { approvers: readonly unknown[] }) =>
        Promise.resolve(approvers.length >= model.quorum ? ('released' as const) : ('not_released' as const)),
    };
    const store = ledger;
    const alarm = { setFor: () => undefined };
    const limits = { maxPending: 1e6, maxNewPerMinute: 1e6 };
    const setting = { governance: 'on', profile: 'minimal' } as const;
    const lifecycle = new Lifecycle({ store, announcer, clock });
    const approvals = new Approvals({ store, authority, announcer, owners, alarm, clock, limits });
    const votes = new Votes({ store, lifecycle, authority, holder, announcer, owners, clock, setting });
    return { lifecycle, approvals, votes, settled };
  }

  async function act(
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
      case 'consume': {
        const ask = consumption(made);
        return approvals.consume(
          action.fitting ? ask : { ...ask, arguments_digest: `sha256:${'0'.repeat(64)}` },
        );
      }
      case 'wait':
        return lifecycle.expireDue();
    }
  }

  async function receiptsOf(made: ApprovalDraft): Promise<Receipt[]> {
    const found: Receipt[] = [];
    for (let after: number | undefined = 0; after !== undefined;) {
      const page: Awaited<ReturnType<Ledger['listReceipts']>> = await ledger.listReceipts({
        tenant: acme,
        after,
        limit: 1_000,
      });
      found.push(...page.receipts.filter((receipt) => receipt.approval_id === made.approval_id));
      after = page.next;
    }
    return found;
  }

  it('do, one after the other, what the model says', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(anyAction, { maxLength: 10 }),
        async (quorum, actions) => {
          const model = new Model(quorum, 1_000_000 + lifetimeMs);
          const parts = wired(model);
          const made = draft({ quorum, expires_at: model.expiresAt });
          await parts.approvals.create(made);
          for (const action of actions) {
            model.apply(action);
            await act(parts, made, action);
          }
          await parts.lifecycle.expireDue();
          const record = await ledger.readApproval({ approvalId: made.approval_id });
          expect(record?.status).toBe(model.status);
          expect(
            new Set(
              record?.votes.filter((vote) => vote.decision === 'approve').map((vote) => vote.voter.subject),
            ),
          ).toEqual(model.approvers);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('write one receipt for each vote that counted and one intent for each consumption', async () => {
    for (const actions of [
      [vote('sam'), vote('sam'), vote('sue'), consume(false), consume(true), consume(true)],
      [vote('sam'), { kind: 'vote', by: 'sam', decision: 'reject' }, vote('sue'), consume(true)],
      [vote('sam'), vote('sue'), { kind: 'end', as: 'spent' }, consume(true)],
    ] satisfies Action[][]) {
      const model = new Model(2, 1_000_000 + lifetimeMs);
      const parts = wired(model);
      const made = draft({ quorum: 2, expires_at: model.expiresAt });
      await parts.approvals.create(made);
      for (const action of actions) {
        model.apply(action);
        await act(parts, made, action);
      }
      const receipts = await receiptsOf(made);
      expect(receipts.filter((each) => each.kind === 'intent')).toHaveLength(model.intents);
      expect(receipts.filter((each) => each.kind === 'admin')).toHaveLength(model.votes);
      expect(receipts.filter((each) => each.kind === 'admin')[0]).toMatchObject({
        principal: principalId(approver('sam').principal),
        action: 'approval.approve',
      });
    }
  });

  it('end in one way, announced once, whatever happens at the same instant', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyAction, { minLength: 2, maxLength: 8 }), async (actions) => {
        const model = new Model(1, 1_000_000 + lifetimeMs);
        const parts = wired(model);
        const made = draft({ expires_at: model.expiresAt });
        await parts.approvals.create(made);
        await Promise.all(
          actions.filter(({ kind }) => kind !== 'wait').map((action) => act(parts, made, action)),
        );
        const statuses = parts.settled
          .filter((each) => each.draft.approval_id === made.approval_id)
          .map((each) => each.status);
        expect(new Set(statuses).size).toBe(statuses.length);
        expect(statuses.filter((status) => status !== 'approved').length).toBeLessThanOrEqual(1);
        const intents = (await receiptsOf(made)).filter((each) => each.kind === 'intent');
        expect(intents.length).toBeLessThanOrEqual(1);
        if (intents.length === 1) expect(statuses).toEqual(['approved']);
      }),
      { numRuns: 60 },
    );
  });
});

function vote(by: string): Action {
  return { kind: 'vote', by, decision: 'approve' };
}

function consume(fitting: boolean): Action {
  return { kind: 'consume', fitting };
}
