import {
  castVote,
  consumeApproval,
  createApproval,
  endApproval,
  listApprovals,
  listReceipts,
  readApproval,
  readRelease,
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
import { acme, approver, beta, caller, consumption, digestOf, draft, principal } from './samples.fixture.js';

withBothBuses('approvals', (connect) => {
  let service: Deployment;
  let gateway: PlayedGateway;

  beforeAll(async () => {
    service = deployment(connect);
    await service.start();
    await playDecider(await connect('governance-decider'));
    gateway = await playGateway(await connect('gateway'), ({ approvers }) => ({
      kind:
        approvers.length >= 2 || approvers.some((each) => each.subject.startsWith('alone'))
          ? 'released'
          : 'not_released',
    }));
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
      value(await gateway.bus.ask(writeSetting, { ...setting, value: { title: 'Coder', owner: 'olga' } }));
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
      const release = value(await gateway.bus.ask(readRelease, { approval_id, call_id }));
      expect(release).toMatchObject({ kind: 'found', status: 'approved' });
      expect(release.kind === 'found' && release.approvers.map((each) => each.subject)).toEqual([
        'sam',
        'sue',
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

  describe('a record that is over', () => {
    it('takes no vote after expiry, and its end is announced without anybody asking (H9)', async () => {
      const ask = await made({ expires_at: Date.now() + 150 });
      await gateway.heard(ask.approval_id, 'expired');
      expect(await vote(approver('alone'), ask)).toEqual({ kind: 'not_pending', status: 'expired' });
      expect(await consume(ask)).toEqual({ kind: 'refused', status: 'expired' });
    });

    it.each(['cancelled', 'channel_closed', 'expired'] as const)(
      'takes no vote once it is %s (H9)',
      async (as) => {
        const ask = await made();
        expect(value(await gateway.bus.ask(endApproval, { approval_id: ask.approval_id, as }))).toEqual({
          status: as,
        });
        await gateway.heard(ask.approval_id, as);
        expect(await vote(approver('alone'), ask)).toEqual({ kind: 'not_pending', status: as });
      },
    );

    it('is channel_closed when the gateway that held the call is gone (H9)', async () => {
      const ask = await made({ gateway: '00000000000000ff' });
      expect(await vote(approver('sam'), ask)).toEqual({ kind: 'not_pending', status: 'channel_closed' });
      await gateway.heard(ask.approval_id, 'channel_closed');
      expect(await statusOf(ask)).toBe('channel_closed');
    });
  });

  describe('a consumption', () => {
    it('is given to one of 100 concurrent ones, with one intent (H2)', async () => {
      const ask = await made();
      await vote(approver('alone'), ask);
      const answers = await Promise.all(Array.from({ length: 100 }, () => consume(ask)));
      const consumed = answers.filter((answer) => answer.kind === 'consumed');
      expect(consumed).toHaveLength(1);
      expect(
        answers.filter((answer) => answer.kind === 'refused' && answer.status === 'consumed'),
      ).toHaveLength(99);
      expect(value(await gateway.bus.ask(verifyReceipts, { tenant: acme }))).toMatchObject({ ok: true });
    });

    it('is refused for other arguments, another definition, another call, and before the release (H1)', async () => {
      const ask = await made();
      expect(await consume(ask)).toEqual({ kind: 'refused', status: 'pending' });
      await vote(approver('alone'), ask);
      const mismatch = { kind: 'refused', status: 'mismatch' };
      expect(await consume({ ...ask, arguments_digest: digestOf('b') })).toEqual(mismatch);
      expect(await consume({ ...ask, tool: { ...ask.tool, definition_digest: digestOf('b') } })).toEqual(
        mismatch,
      );
      expect(await consume({ ...ask, call_id: draft().call_id })).toEqual(mismatch);
      expect(await consume(ask)).toMatchObject({ kind: 'consumed' });
    });

    it('is refused after policy spent the approval, and leaves no intent', async () => {
      const ask = await made();
      await vote(approver('alone'), ask);
      const spent = await gateway.bus.ask(endApproval, { approval_id: ask.approval_id, as: 'spent' });
      expect(value(spent)).toEqual({ status: 'consumed' });
      expect(await consume(ask)).toEqual({ kind: 'refused', status: 'consumed' });
    });
  });

  describe('who sees what', () => {
    it('shows a record to its requester and to approvers, and does not exist for others', async () => {
      const requester = principal('viewer');
      const { approval_id } = await made({ requester });
      const read = async (by: ReturnType<typeof caller>) =>
        value(await gateway.bus.ask(readApproval, { caller: by, approval_id })).kind;
      expect(await read({ ...caller('viewer'), principal: requester })).toBe('found');
      expect(await read(approver('sam'))).toBe('found');
      expect(await read(caller('other'))).toBe('not_found');
      expect(await read(caller('viewer', { tenant: beta }))).toBe('not_found');
    });

    it('lists newest first, in pages, only what the caller may see', async () => {
      const requester = principal('lister');
      const wanted: string[] = [];
      for (let n = 0; n < 5; n += 1) wanted.unshift((await made({ requester })).approval_id);
      const mine = { ...caller('lister'), principal: requester };
      const pages: string[][] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const ask = { caller: mine, limit: 2, ...(cursor === '' ? {} : { cursor }) };
        const page: { approvals: { approval_id: string }[]; next_cursor?: string | undefined } = value(
          await gateway.bus.ask(listApprovals, ask),
        );
        pages.push(page.approvals.map((each) => each.approval_id));
        cursor = page.next_cursor;
      }
      expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
      expect(new Set(pages.flat())).toEqual(new Set(wanted));
      const rejected = { caller: mine, limit: 10, status: 'rejected' } as const;
      expect(value(await gateway.bus.ask(listApprovals, rejected))).toEqual({ approvals: [] });
    });
  });

  it('limits what one principal may ask humans for, and says when to come back (H12)', async () => {
    const requester = principal('impatient');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        gateway.bus.ask(createApproval, draft({ requester, gateway: gateway.bus.instance })),
      ),
    );
    const kinds = answers.map((answer) => value(answer).kind);
    expect(kinds.filter((kind) => kind === 'created')).toHaveLength(20);
    const limited = answers.map(value).find((answer) => answer.kind === 'limited');
    expect(limited).toMatchObject({ retry_after_ms: expect.any(Number) });
  });
});
