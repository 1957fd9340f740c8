import { expect, it } from 'vitest';
import { inEveryPlace } from './places.fixture.js';
import { acme, callId, draft, receipt, startOfTime as now } from './samples.fixture.js';

const gateway = '00000000000000aa';
const limits = { maxPending: 10, maxNewPerMinute: 10 };
const setting = { governance: 'on', profile: 'minimal' } as const;

inEveryPlace('calls that have ended', (ledger) => {
  it('begin no more: no intent, no approval, and nothing of them is open', async () => {
    const call_id = callId();
    const outcome = receipt({
      call_id,
      kind: 'outcome',
      outcome: 'transport_failure',
      effect: 'may_have_run',
    });
    const [placed] = await ledger().appendReceipts({ receipts: [outcome] });
    const late = receipt({ call_id, kind: 'intent' });
    expect(await ledger().writeIntent({ gateway, receipt: late })).toEqual({ ...placed, refused: true });
    const question = draft({ call_id, gateway });
    expect(await ledger().createApproval({ draft: question, limits, now })).toEqual({ kind: 'ended' });
    expect(await ledger().openGateways({ now })).toEqual([]);
    const { receipts } = await ledger().listReceipts({ tenant: acme, after: 0, limit: 100 });
    expect(receipts.filter((each) => each.call_id === call_id)).toHaveLength(1);
  });

  it('are open no more, whoever ended them first', async () => {
    const call_id = callId();
    await ledger().writeIntent({ gateway, receipt: receipt({ call_id, kind: 'intent' }) });
    expect(await ledger().openGateways({ now })).toEqual([gateway]);
    const closed = await ledger().closeOpenCalls({ gateway, limit: 10, setting, now });
    expect(closed).toMatchObject({ count: 1, outcomes: [{ call_id, outcome: 'transport_failure' }] });
    const own = receipt({ call_id, kind: 'outcome', outcome: 'completed', effect: 'ran' });
    expect(await ledger().appendReceipts({ receipts: [own] })).toMatchObject([{ refused: true }]);
    expect(await ledger().openGateways({ now })).toEqual([]);
  });

  it('let no approval be used for them any more', async () => {
    const call_id = callId();
    const question = draft({ call_id, gateway });
    await ledger().createApproval({ draft: question, limits, now });
    const outcome = receipt({
      call_id,
      kind: 'outcome',
      outcome: 'transport_failure',
      effect: 'may_have_run',
    });
    await ledger().moveApproval({
      ...{ approvalId: question.approval_id, from: ['pending'], to: 'approved', when: 'any', now },
    });
    await ledger().appendReceipts({ receipts: [outcome] });
    const { approval_id, arguments_digest } = question;
    const consumption = {
      ...{ approval_id, call_id, arguments_digest, definition_digest: question.tool.definition_digest, now },
      intent: receipt({ call_id, kind: 'intent', approval_id }),
    };
    expect(await ledger().consumeApproval(consumption)).toEqual({
      kind: 'refused',
      status: 'channel_closed',
    });
  });
});
