import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApprovalDraft } from '@uar/contracts';
import { createSeal } from '@uar/keys';
import { openLedger, type Ledger } from '@uar/ledger';
import { proofRuns } from '@uar/testkit';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { acme, caller, consumption, draft } from '../contract-spec/samples.fixture.js';
import {
  Model,
  act,
  anyAction,
  consumptionOf,
  lifetimeMs,
  wired,
  type Action,
} from './approvals-model.fixture.js';

const { seed, cases, timeoutMs } = proofRuns({ cases: 1_000 });
/** Sequences that go in step with each other: their writes share commits, and a restart. */
const atOnce = 250;
const startAt = 10_000_000;
const hourMs = 3_600_000;

type Command =
  | { readonly kind: 'act'; readonly on: 0 | 1; readonly action: Exclude<Action, { kind: 'wait' }> }
  | { readonly kind: 'vote_for_oneself'; readonly on: 0 | 1 }
  | { readonly kind: 'repeat_draft'; readonly on: 0 | 1 }
  | { readonly kind: 'clock'; readonly ms: number };

const on = fc.constantFrom(0 as const, 1 as const);
const action = anyAction.filter((it): it is Exclude<Action, { kind: 'wait' }> => it.kind !== 'wait');
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('act' as const), on, action }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('vote_for_oneself' as const), on }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('repeat_draft' as const), on }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      ms: fc.oneof(fc.integer({ min: 1, max: lifetimeMs }), fc.constantFrom(hourMs, -hourMs)),
    }),
  },
);
const sequence = fc.record({
  quorums: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
  commands: fc.array(command, { minLength: 1, maxLength: 12 }),
});

type Sequence = typeof sequence extends fc.Arbitrary<infer T> ? T : never;

interface Played {
  readonly commands: readonly Command[];
  readonly records: readonly { readonly made: ApprovalDraft; readonly model: Model }[];
}

const folder = mkdtempSync(join(tmpdir(), 'uar-approvals-proof-'));
const options = {
  file: join(folder, 'ledger.db'),
  seal: createSeal('s'.repeat(32)),
  signingKey: generateKeyPairSync('ed25519').privateKey,
};
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function begin(ledger: Ledger, { quorums, commands }: Sequence): Promise<Played> {
  const records = quorums.map((quorum) => {
    const model = new Model(quorum, startAt + lifetimeMs);
    model.now = startAt;
    return { made: draft({ quorum, expires_at: model.expiresAt }), model };
  });
  await Promise.all(records.map(({ made, model }) => wired(ledger, model).approvals.create(made)));
  return { commands, records };
}

/** One command against ledger and model; then both records stand as the model says. */
async function step(ledger: Ledger, { commands, records }: Played, index: number): Promise<void> {
  const next = commands[index];
  if (next === undefined) return;
  if (next.kind === 'clock') for (const { model } of records) model.apply({ kind: 'wait', ms: next.ms });
  else await apply(ledger, records[next.on], next);
  for (const { made, model } of records) {
    const record = await settled(ledger, made, model);
    expect(record.status, JSON.stringify({ seed, commands, index })).toBe(model.status);
  }
}

async function apply(
  ledger: Ledger,
  record: Played['records'][number] | undefined,
  next: Exclude<Command, { kind: 'clock' }>,
): Promise<void> {
  if (record === undefined) throw new Error('there are two records');
  const { made, model } = record;
  const parts = wired(ledger, model);
  const { approval_id } = made;
  switch (next.kind) {
    case 'vote_for_oneself': {
      const self = { ...caller('self'), principal: made.requester };
      const answer = await parts.votes.cast({ caller: self, approval_id, decision: 'approve' });
      expect(answer.kind).toBe(model.status === 'pending' ? 'forbidden' : 'not_pending');
      return;
    }
    case 'repeat_draft':
      await parts.approvals.create(made);
      return;
    case 'act': {
      const before = model.intents;
      model.apply(next.action);
      if (next.action.kind === 'end') await parts.lifecycle.end({ approval_id, as: next.action.as });
      else if (next.action.kind === 'vote') await act(parts, made, next.action);
      else {
        const { kind } = await parts.approvals.consume(consumptionOf(made, next.action.fitting));
        expect(kind === 'consumed', JSON.stringify({ seed, next })).toBe(model.intents > before);
      }
    }
  }
}

async function settled(ledger: Ledger, { approval_id }: ApprovalDraft, model: Model) {
  const record = await ledger.readApproval({ approvalId: approval_id });
  if (record === undefined) throw new Error('the record is gone');
  return wired(ledger, model).lifecycle.current(record);
}

/** How many receipts of each kind name an approval, of those after `after`. */
async function receiptsAfter(ledger: Ledger, after: number) {
  const counts = new Map<string, number>();
  let last = after;
  for (let from: number | undefined = after; from !== undefined;) {
    const page: Awaited<ReturnType<Ledger['listReceipts']>> = await ledger.listReceipts({
      tenant: acme,
      after: from,
      limit: 1_000,
    });
    for (const { kind, approval_id, seq } of page.receipts) {
      const key = `${kind} ${approval_id}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      last = seq;
    }
    from = page.next;
  }
  return { counts, last };
}

describe('sequences of commands on approvals', () => {
  it(
    'do what the model says, over restarts, clocks that jump an hour, and two approvals at once',
    async () => {
      let ledger = await openLedger(options);
      let last = 0;
      const sequences = fc.sample(sequence, { numRuns: cases, seed });
      for (let from = 0; from < sequences.length; from += atOnce) {
        const open = ledger;
        const group = await Promise.all(
          sequences.slice(from, from + atOnce).map((each) => begin(open, each)),
        );
        for (let index = 0; index < 12; index += 1) {
          const now = ledger;
          await Promise.all(group.map((played) => step(now, played, index)));
          if (index === (from / atOnce) % 6) {
            await ledger.close();
            ledger = await openLedger(options);
          }
        }
        const { counts, last: end } = await receiptsAfter(ledger, last);
        last = end;
        for (const { commands, records } of group)
          for (const { made, model } of records) {
            const said = JSON.stringify({ seed, commands });
            expect(counts.get(`intent ${made.approval_id}`) ?? 0, said).toBe(model.intents);
            expect(counts.get(`admin ${made.approval_id}`) ?? 0, said).toBe(model.votes);
            const again = await ledger.consumeApproval({ ...consumption(made), now: startAt });
            expect(again.kind === 'consumed', said).toBe(model.status === 'approved');
          }
      }
      expect((await ledger.verifyReceipts({ tenant: acme })).ok).toBe(true);
      await ledger.close();
    },
    timeoutMs,
  );
});
