import { generateKeyPairSync } from 'node:crypto';
import { principalId, type ApprovalDraft, type Receipt } from '@uar/contracts';
import { createSeal } from '@uar/keys';
import { openLedger, type Ledger } from '@uar/ledger';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acme, approver, draft } from '../contract-spec/samples.fixture.js';
import { act, anyAction, lifetimeMs, Model, wired, type Action } from './approvals-model.fixture.js';

describe('approvals over a ledger', () => {
  let ledger: Ledger;
  beforeAll(async () => {
    const signingKey = generateKeyPairSync('ed25519').privateKey;
    ledger = await openLedger({ file: ':memory:', seal: createSeal('s'.repeat(32)), signingKey });
  });
  afterAll(() => ledger.close());

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
          const parts = wired(ledger, model);
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
      const parts = wired(ledger, model);
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
        const parts = wired(ledger, model);
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
