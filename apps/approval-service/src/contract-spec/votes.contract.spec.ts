import {
  castVote,
  consumeApproval,
  createApproval,
  listReceipts,
  readApproval,
  readApprovalStatus,
  verifyReceipts,
  writeSetting,
  type ApprovalDraft,
} from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deployment,
  playDecider,
  playGateway,
  value,
  type Deployment,
  type PlayedGateway,
} from './running.fixture.js';
import { acme, approver, beta, caller, consumption, draft, principal } from './samples.fixture.js';

withBothBuses('votes on approvals', (connect) => {
  let service: Deployment;
  let gateway: PlayedGateway;
  /** Approval and approvers of each review. */
  const reviewed: string[][] = [];

  beforeAll(async () => {
    service = deployment(connect);
    await service.start();
    await playDecider(await connect('governance-decider'));
    gateway = await playGateway(await connect('gateway'), ({ approval_id, approvers }) => {
      const names = approvers.map(({ subject }) => subject);
      reviewed.push([approval_id, ...names]);
      const isReleased = names.length >= 2 || names.some((name) => name.startsWith('alone'));
      return { kind: isReleased ? 'released' : 'not_released' };
    });
  });
  afterAll(() => service.end());

  async function made(changes: Partial<ApprovalDraft> = {}): Promise<ApprovalDraft> {
    const ask = draft({ gateway: gateway.bus.instance, ...changes });
    expect(value(await gateway.bus.ask(createApproval, ask))).toMatchObject({ kind: 'created' });
    return ask;
  }
  const vote = async (
    by: ReturnType<typeof caller>,
    { approval_id }: { approval_id: string },
    decision: 'approve' | 'reject' = 'approve',
  ) => value(await gateway.bus.ask(castVote, { caller: by, approval_id, decision }));
  const consume = async (ask: Parameters<typeof consumption>[0]) =>
    value(await gateway.bus.ask(consumeApproval, consumption(ask)));
  const statusOf = async ({ approval_id }: ApprovalDraft) => {
    const read = value(await gateway.bus.ask(readApproval, { caller: approver('sam'), approval_id }));
    return read.kind === 'found' ? read.approval.status : read.kind;
  };

  describe('a vote', () => {
    it('that comes the moment the event arrives finds the record (H10)', async () => {
      const answers: Promise<unknown>[] = [];
      const ids = new Set<string>();
      gateway.onRequired((approval_id) => {
        if (ids.has(approval_id)) answers.push(vote(approver('alone'), { approval_id }));
      });
      const drafts = Array.from({ length: 20 }, () => draft({ gateway: gateway.bus.instance }));
      for (const { approval_id } of drafts) ids.add(approval_id);
      await Promise.all(drafts.map((each) => gateway.bus.ask(createApproval, each)));
      await Promise.all(drafts.map((each) => gateway.heard(each.approval_id, 'approved')));
      const kinds = (await Promise.all(answers)).map((answer) => (answer as { kind: string }).kind);
      expect(kinds).toEqual(drafts.map(() => 'counted'));
    });

    it('is refused to the requester, to whom policy does not let, and to another tenant (H7)', async () => {
      const self = { ...principal('self'), roles: ['approver'] };
      const own = await made({ requester: self });
      expect(await vote(approver('self'), own)).toEqual({ kind: 'forbidden', cause: 'forbidden' });
      expect(await vote(caller('nobody'), own)).toEqual({ kind: 'forbidden', cause: 'not_permitted' });
      expect(await vote(caller('sam', { tenant: beta, roles: ['approver'] }), own)).toEqual({
        kind: 'not_found',
      });
      expect(await vote(approver('sam'), draft())).toEqual({ kind: 'not_found' });
      expect(await statusOf(own)).toBe('pending');
    });

    it("is refused to the owner of the requester's agent", async () => {
      const setting = { tenant: acme, namespace: 'agent', key: 'coder', if_revision: 0 };
      const registry = await connect('catalog-registry');
      value(await registry.ask(writeSetting, { ...setting, value: { title: 'Coder', owner: 'olga' } }));
      const own = await made({ requester: principal('eve', { agent_id: 'coder' }) });
      expect(await vote(approver('olga'), own)).toEqual({ kind: 'forbidden', cause: 'forbidden' });
      expect(await vote(approver('alone'), own)).toMatchObject({ kind: 'counted' });
    });

    it('of one person counts once, and the second person releases (H7)', async () => {
      const ask = await made({ quorum: 2 });
      const first = await vote(approver('sam'), ask);
      const again = await vote(approver('sam'), ask);
      expect(first).toMatchObject({ kind: 'counted', approval: { status: 'pending', rule: { quorum: 2 } } });
      expect(again).toMatchObject({ kind: 'counted', approval: { status: 'pending' } });
      expect(again.kind === 'counted' && again.approval.votes).toHaveLength(1);
      expect(await vote(approver('sue'), ask)).toMatchObject({
        kind: 'counted',
        approval: { status: 'approved' },
      });
      await gateway.heard(ask.approval_id, 'approved');
      const { approval_id, call_id } = ask;
      const standing = value(await gateway.bus.ask(readApprovalStatus, { approval_id, call_id }));
      expect(standing).toEqual({ kind: 'found', status: 'approved' });
      expect(reviewed.filter(([id]) => id === approval_id)).toEqual([
        [approval_id, 'sam'],
        [approval_id, 'sam'],
        [approval_id, 'sam', 'sue'],
      ]);
    });

    it('to reject ends the record for everybody', async () => {
      const ask = await made({ quorum: 2 });
      await vote(approver('sam'), ask);
      expect(await vote(approver('sue'), ask, 'reject')).toMatchObject({
        kind: 'counted',
        approval: { status: 'rejected', votes: [{ decision: 'approve' }, { decision: 'reject' }] },
      });
      await gateway.heard(ask.approval_id, 'rejected');
      expect(await vote(approver('alone'), ask)).toEqual({ kind: 'not_pending', status: 'rejected' });
      expect(await consume(ask)).toEqual({ kind: 'refused', status: 'rejected' });
    });

    it('to approve and one to reject at the same instant: one wins, the other is told (H8)', async () => {
      for (let round = 0; round < 10; round += 1) {
        const ask = await made();
        const answers = await Promise.all([
          vote(approver('alone'), ask),
          vote(approver('sue'), ask, 'reject'),
        ]);
        expect(answers.map((answer) => answer.kind).sort()).toEqual(['counted', 'not_pending']);
        const won = answers.findIndex((answer) => answer.kind === 'counted');
        expect(await statusOf(ask)).toBe(won === 0 ? 'approved' : 'rejected');
      }
    });

    it('writes one receipt of kind admin, with the voter, the tool and the policy in force', async () => {
      const ask = await made({ quorum: 2 });
      await vote(approver('rita'), ask);
      await vote(approver('rita'), ask);
      const query = { tenant: acme, principal: 'User::"acme/rita"', after: 0, limit: 10 };
      const { receipts } = value(await gateway.bus.ask(listReceipts, query));
      expect(receipts).toHaveLength(1);
      expect(receipts[0]).toMatchObject({
        kind: 'admin',
        action: 'approval.approve',
        approval_id: ask.approval_id,
        call_id: ask.call_id,
        tool: { server: 'files', raw_name: 'write' },
        policy_version: 'sha256:policies',
        governance: 'on',
        profile: 'minimal',
      });
      expect(value(await gateway.bus.ask(verifyReceipts, { tenant: acme }))).toMatchObject({ ok: true });
    });
  });
});
