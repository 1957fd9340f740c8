import { expect, it } from 'vitest';
import type { ApprovalRecord } from '../ledger.js';
import { inEveryPlace } from './places.fixture.js';
import {
  acme,
  beta,
  callId,
  digestOf,
  draft,
  principal,
  receipt,
  startOfTime as now,
} from './samples.fixture.js';

const noLimits = { maxPending: 1_000, maxNewPerMinute: 1_000 };

inEveryPlace('approvals', (ledger) => {
  async function approved(changes: Parameters<typeof draft>[0] = {}): Promise<ApprovalRecord> {
    const created = await ledger().createApproval({ draft: draft(changes), limits: noLimits, now });
    if (created.kind !== 'created') throw new Error(created.kind);
    const approvalId = created.approval.draft.approval_id;
    const moved = await ledger().moveApproval({
      approvalId,
      from: ['pending'],
      to: 'approved',
      when: 'live',
      now,
    });
    if (moved.kind !== 'moved') throw new Error(moved.kind);
    return moved.approval;
  }

  function consumption({ draft: { approval_id, call_id, arguments_digest, tool } }: ApprovalRecord) {
    const intent = receipt({ kind: 'intent', call_id, approval_id });
    return { approval_id, call_id, arguments_digest, definition_digest: tool.definition_digest, intent, now };
  }

  async function chainLength(tenant = acme): Promise<number> {
    return (await ledger().verifyReceipts({ tenant })).length;
  }

  it('answers the same record when the same draft comes twice', async () => {
    const ask = { draft: draft(), limits: noLimits, now };
    const first = await ledger().createApproval(ask);
    expect(await ledger().createApproval({ ...ask, now: now + 5 })).toEqual(first);
  });

  it('limits what one principal has pending and says when to come back', async () => {
    const requester = principal('pending');
    const limits = { maxPending: 2, maxNewPerMinute: 100 };
    const create = () => ledger().createApproval({ draft: draft({ requester }), limits, now });
    await create();
    const second = await create();
    expect(await create()).toEqual({ kind: 'limited', retryAfterMs: 300_000 });
    if (second.kind !== 'created') throw new Error(second.kind);
    const { approval_id: approvalId } = second.approval.draft;
    await ledger().moveApproval({ approvalId, from: ['pending'], to: 'cancelled', when: 'any', now });
    expect((await create()).kind).toBe('created');
  });

  it('limits what one principal makes within a minute, ended ones included', async () => {
    const limits = { maxPending: 100, maxNewPerMinute: 2 };
    const create = (at: number) =>
      ledger().createApproval({ draft: draft({ requester: principal('busy') }), limits, now: at });
    await create(now);
    await create(now + 20_000);
    expect(await create(now + 30_000)).toEqual({ kind: 'limited', retryAfterMs: 30_000 });
    expect((await create(now + 60_001)).kind).toBe('created');
  });

  it('counts what the same principal made within the last minute, whatever others made in between', async () => {
    const create = (name: string, at: number, maxNewPerMinute: number) => {
      const limits = { maxPending: 100, maxNewPerMinute };
      return ledger().createApproval({ draft: draft({ requester: principal(name) }), limits, now: now + at });
    };
    for (const at of [0, 10_000, 10_000, 20_000, 30_000])
      for (const name of ['often', 'others']) await create(name, at, 100);
    expect(await create('often', 65_000, 4)).toEqual({ kind: 'limited', retryAfterMs: 5_000 });
    expect((await create('often', 65_000, 5)).kind).toBe('created');
    expect(await create('often', 65_000, 5)).toEqual({ kind: 'limited', retryAfterMs: 5_000 });
    expect((await create('others', 95_000, 1)).kind).toBe('created');
  });

  it('lists one tenant, newest first, in pages without gaps', async () => {
    const requester = principal('lister', beta);
    for (const at of [1, 2, 2, 3]) {
      await ledger().createApproval({ draft: draft({ requester }), limits: noLimits, now: now + at });
    }
    const all = await ledger().listApprovals({ tenant: beta, limit: 10 });
    expect(all.map((record) => record.createdAt - now)).toEqual([3, 2, 2, 1]);
    const second = all[1];
    if (!second) throw new Error('no second record');
    const after = { createdAt: second.createdAt, approvalId: second.draft.approval_id };
    expect(await ledger().listApprovals({ tenant: beta, limit: 10, after })).toEqual(all.slice(2));
    expect(await ledger().listApprovals({ tenant: beta, status: 'rejected', limit: 10 })).toEqual([]);
  });

  it('counts one person once, and writes one receipt for one vote', async () => {
    const created = await ledger().createApproval({ draft: draft({ quorum: 2 }), limits: noLimits, now });
    if (created.kind !== 'created') throw new Error(created.kind);
    const approvalId = created.approval.draft.approval_id;
    const vote = { voter: principal('sam'), decision: 'approve', reason: 'fine' } as const;
    const before = await chainLength();
    const first = await ledger().recordVote({ approvalId, vote, receipt: receipt({ kind: 'admin' }), now });
    const again = await ledger().recordVote({
      approvalId,
      vote,
      receipt: receipt({ kind: 'admin' }),
      now: now + 1,
    });
    expect(first).toMatchObject({ kind: 'counted', repeated: false });
    expect(again).toMatchObject({
      kind: 'counted',
      repeated: true,
      approval: { votes: [{ ...vote, at: now }] },
    });
    expect(await chainLength()).toBe(before + 1);
  });

  it('takes no vote, and writes no receipt, once the record has expired or ended', async () => {
    const record = await approved();
    const before = await chainLength();
    const ask = {
      approvalId: record.draft.approval_id,
      vote: { voter: principal('sam'), decision: 'approve' },
      receipt: receipt({ kind: 'admin' }),
      now,
    } as const;
    expect(await ledger().recordVote(ask)).toEqual({ kind: 'refused', approval: record });
    expect(await ledger().recordVote({ ...ask, approvalId: 'appr_none' })).toEqual({ kind: 'refused' });
    const open = await ledger().createApproval({ draft: draft(), limits: noLimits, now });
    if (open.kind !== 'created') throw new Error(open.kind);
    const { approval_id: approvalId, expires_at: late } = open.approval.draft;
    expect(await ledger().recordVote({ ...ask, approvalId, now: late })).toMatchObject({ kind: 'refused' });
    expect(await chainLength()).toBe(before);
  });

  it('gives one of 100 concurrent consumptions the approval, and one intent', async () => {
    const record = await approved();
    const before = await chainLength();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => ledger().consumeApproval(consumption(record))),
    );
    expect(answers.filter((answer) => answer.kind === 'consumed')).toHaveLength(1);
    expect(
      answers.filter((answer) => answer.kind === 'refused' && answer.status === 'consumed'),
    ).toHaveLength(99);
    expect(await chainLength()).toBe(before + 1);
  });

  it('gives nothing to other digests, another call, a pending or an expired record', async () => {
    const record = await approved();
    const ask = consumption(record);
    const before = await chainLength();
    const mismatch = { kind: 'refused', status: 'mismatch' };
    expect(await ledger().consumeApproval({ ...ask, arguments_digest: digestOf('b') })).toEqual(mismatch);
    expect(await ledger().consumeApproval({ ...ask, definition_digest: digestOf('b') })).toEqual(mismatch);
    expect(await ledger().consumeApproval({ ...ask, call_id: callId() })).toEqual(mismatch);
    expect(await ledger().consumeApproval({ ...ask, now: record.draft.expires_at })).toEqual({
      kind: 'refused',
      status: 'expired',
    });
    const open = await ledger().createApproval({ draft: draft(), limits: noLimits, now });
    if (open.kind !== 'created') throw new Error(open.kind);
    expect(await ledger().consumeApproval(consumption(open.approval))).toEqual({
      kind: 'refused',
      status: 'pending',
    });
    expect(await chainLength()).toBe(before);
    expect((await ledger().consumeApproval(ask)).kind).toBe('consumed');
  });

  it.each(['consumed', 'rejected', 'expired', 'cancelled', 'channel_closed'] as const)(
    'shows the arguments while a record is pending or approved, and no more once it is %s',
    async (to) => {
      const { draft: made, status } = await approved();
      const kept = await ledger().readApproval({ approvalId: made.approval_id });
      expect([status, kept?.draft]).toEqual(['approved', made]);
      expect(made.arguments_preview).not.toBe('');
      const move = { approvalId: made.approval_id, from: ['approved'] as const, when: 'any' as const, now };
      const moved = await ledger().moveApproval({ ...move, to });
      const settled = { status: to, draft: { ...made, arguments_preview: '' } };
      expect(moved).toMatchObject({ kind: 'moved', approval: settled });
      const listed = await ledger().listApprovals({ tenant: acme, status: to, limit: 500 });
      expect(listed).toContainEqual({ ...settled, createdAt: now, votes: [] });
    },
  );

  it('ends what is due, pending and approved alike, and knows what is due next', async () => {
    const soon = now - 1_000;
    const one = await approved({ expires_at: soon + 2_000 });
    const early = await ledger().nextExpiry();
    expect(early).toBe(soon + 2_000);
    const ended = await ledger().expireApprovals({ now: soon + 2_000 });
    expect(ended).toEqual([{ ...one, draft: { ...one.draft, arguments_preview: '' }, status: 'expired' }]);
    expect(await ledger().expireApprovals({ now: soon + 2_000 })).toEqual([]);
  });
});
