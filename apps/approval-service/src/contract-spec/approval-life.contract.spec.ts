import {
  castVote,
  consumeApproval,
  createApproval,
  endApproval,
  listApprovals,
  readApproval,
  verifyReceipts,
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

withBothBuses('the life of an approval', (connect) => {
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
