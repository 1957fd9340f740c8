import type { Bus } from '@uar/bus';
import {
  CallView,
  appendEvents,
  appendReceipts,
  castVote,
  claimKey,
  consumeApproval,
  createApproval,
  keepCall,
  listReceipts,
  readApproval,
  readEvents,
  readKeptCall,
  writeIntent,
  type ApprovalDraft,
  type ApprovalView,
  type NotedEvent,
} from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployment, playDecider, playGateway, value, type Deployment } from './running.fixture.js';
import type { PlayedGateway } from './running.fixture.js';
import { acme, approver, callId, consumption, digestOf, draft, intent, receipt } from './samples.fixture.js';

const promisedMs = 3_000;
const ann = 'User::"acme/ann"';

withBothBuses('a gateway that is gone', (connect) => {
  let service: Deployment;
  let alive: PlayedGateway;
  beforeAll(async () => {
    service = deployment(connect);
    await service.start();
    await playDecider(await connect('governance-decider'));
    alive = await playGateway(await connect('gateway'));
  });
  afterAll(() => service.end());

  async function made(at: Bus): Promise<{ ask: ApprovalDraft; view: ApprovalView }> {
    const ask = draft({ gateway: at.instance });
    const created = value(await at.ask(createApproval, ask));
    if (created.kind !== 'created') throw new Error(created.kind);
    return { ask, view: created.approval };
  }
  const viewOf = (call_id: string, approval: ApprovalView | null = null): string =>
    JSON.stringify({
      ...{ call_id, run_id: 'run_0123456789abcdef', tool: 'files__write', outcome: 'pending', effect: null },
      ...{
        success: false,
        result: null,
        error: null,
        decision: null,
        approval,
        receipt: null,
        duration_ms: 1,
      },
    });
  async function kept(call_id: ApprovalDraft['call_id']): Promise<CallView> {
    const found = value(await alive.bus.ask(readKeptCall, { tenant: acme, call_id }));
    if (found.kind === 'not_found') throw new Error('the view is not kept');
    return CallView.parse(JSON.parse(found.view_json));
  }
  async function outcomesOf(id: string) {
    const { receipts } = value(await alive.bus.ask(listReceipts, { tenant: acme, after: 0, limit: 1000 }));
    return receipts.filter((each) => each.call_id === id && each.kind === 'outcome');
  }
  const vote = async ({ approval_id }: ApprovalDraft) =>
    value(await alive.bus.ask(castVote, { caller: approver('sam'), approval_id, decision: 'approve' }));
  const statusOf = async ({ approval_id }: ApprovalDraft) => {
    const read = value(await alive.bus.ask(readApproval, { caller: approver('sam'), approval_id }));
    return read.kind === 'found' ? read.approval.status : read.kind;
  };

  it('has its waiting calls closed within three seconds: approval, one receipt, kept view; a vote is late', async () => {
    const dying = await playGateway(await connect('gateway'));
    const { ask, view } = await made(dying.bus);
    const { call_id } = ask;
    const key = callId();
    const row = { tenant: acme, principal: ann, expires_at: Date.now() + 60_000 };
    const pending_at = dying.bus.instance;
    value(await dying.bus.ask(keepCall, { ...row, call_id, view_json: viewOf(call_id, view), pending_at }));
    const pending = { gateway: dying.bus.instance, view_json: viewOf(call_id, view) };
    const claim = { ...row, call_id: key, key: 'k', request_digest: digestOf('e'), pending };
    expect(value(await dying.bus.ask(claimKey, claim))).toEqual({ kind: 'claimed' });
    await dying.bus.close();
    const diedAt = performance.now();
    await alive.heard(ask.approval_id, 'channel_closed');
    expect(performance.now() - diedAt).toBeLessThan(promisedMs);
    expect(await outcomesOf(call_id)).toMatchObject([
      {
        ...{ outcome: 'channel_closed', effect: 'did_not_run', cause: 'gateway_gone' },
        ...{ approval_id: ask.approval_id, arguments_digest: ask.arguments_digest },
      },
    ]);
    for (const id of [call_id, key])
      await expect
        .poll(() => kept(id), { timeout: promisedMs })
        .toMatchObject({
          ...{ outcome: 'channel_closed', effect: 'did_not_run', error: { code: 'channel_closed' } },
          ...{
            approval: { status: 'channel_closed', arguments_preview: '' },
            receipt: { seq: expect.any(Number) },
          },
        });
    expect(await vote(ask)).toEqual({ kind: 'not_pending', status: 'channel_closed' });
    const late = value(await alive.bus.ask(consumeApproval, consumption(ask)));
    expect(late).toEqual({ kind: 'refused', status: 'channel_closed' });
  });

  it('has the end of its calls told in the run in which they were proposed, once', async () => {
    const dying = await playGateway(await connect('gateway'));
    const { ask } = await made(dying.bus);
    const run = { run_id: ask.run_id, owner: { principal: ann, issuer: 'i' } };
    const proposed: NotedEvent = {
      ...{ type: 'call.proposed', at: Date.now() - 50, call_id: ask.call_id },
      data_json: JSON.stringify({ tool: ask.tool_name }),
    };
    const group = { tenant: acme, run, count: 1, events_json: JSON.stringify([proposed]) };
    value(await dying.bus.ask(appendEvents, { source: dying.bus.instance, batch: 1, groups: [group] }));
    await dying.bus.close();
    const eventsOfCall = async () => {
      const page = await alive.bus.ask(readEvents, { tenant: acme, run_id: ask.run_id, after: 0 });
      const events = value(page).groups.flatMap(({ events_json }) => JSON.parse(events_json));
      return events.filter(({ call_id }: NotedEvent) => call_id === ask.call_id);
    };
    await expect.poll(eventsOfCall, { timeout: promisedMs }).toHaveLength(2);
    const [, ended] = await eventsOfCall();
    expect(ended).toMatchObject({ type: 'call.ended' });
    expect(JSON.parse(ended.data_json)).toMatchObject({
      ...{ tool: ask.tool_name, outcome: 'channel_closed', effect: 'did_not_run', success: false },
      ...{ duration_ms: expect.any(Number), error: { code: 'channel_closed' } },
    });
  });

  it('leaves one may_have_run after an intent; what it says later is refused and keeps up nothing else', async () => {
    const dying = await playGateway(await connect('gateway'));
    const { ask } = await made(dying.bus);
    expect(await vote(ask)).toMatchObject({ kind: 'counted' });
    const used = value(await dying.bus.ask(consumeApproval, consumption(ask)));
    expect(used.kind).toBe('consumed');
    const plain = callId();
    value(await dying.bus.ask(writeIntent, intent(dying.bus, { call_id: plain })));
    const ended = callId();
    value(await dying.bus.ask(writeIntent, intent(dying.bus, { call_id: ended })));
    value(await dying.bus.ask(appendReceipts, { receipts: [receipt({ call_id: ended })] }));
    await dying.bus.close();
    for (const id of [ask.call_id, plain])
      await expect
        .poll(() => outcomesOf(id), { timeout: 2 * promisedMs })
        .toMatchObject([{ outcome: 'transport_failure', effect: 'may_have_run', cause: 'gateway_gone' }]);
    expect(await outcomesOf(ended)).toMatchObject([{ outcome: 'completed' }]);
    const more = callId();
    const { positions } = value(
      await alive.bus.ask(appendReceipts, {
        receipts: [receipt({ call_id: plain }), receipt({ call_id: more }), receipt({ call_id: ended })],
      }),
    );
    expect(positions.map(({ refused }) => refused)).toEqual([true, undefined, undefined]);
    expect(await outcomesOf(plain)).toHaveLength(1);
    expect(await outcomesOf(more)).toHaveLength(1);
  });

  it('cannot overwrite what was said in its place', async () => {
    const dying = await playGateway(await connect('gateway'));
    const call_id = callId();
    const row = { tenant: acme, principal: ann, call_id, expires_at: Date.now() + 60_000 };
    const pending_at = dying.bus.instance;
    value(await dying.bus.ask(keepCall, { ...row, view_json: viewOf(call_id), pending_at }));
    await dying.bus.close();
    await expect
      .poll(() => kept(call_id), { timeout: 2 * promisedMs })
      .toMatchObject({
        ...{ outcome: 'transport_failure', effect: 'may_have_run', error: { code: 'transport_failure' } },
      });
    const again = await alive.bus.ask(keepCall, { ...row, view_json: viewOf(call_id) });
    expect(value(again)).toEqual({ kept: false });
    expect((await kept(call_id)).outcome).toBe('transport_failure');
    expect(await outcomesOf(call_id)).toHaveLength(1);
  });

  describe('when the approval-service alone starts again', () => {
    it('closes nothing of gateways that are there, and closes at its start what others left', async () => {
      const dying = await playGateway(await connect('gateway'));
      const left = await made(dying.bus);
      const waiting = await made(alive.bus);
      await service.stop();
      await dying.bus.close();
      await service.start();
      await alive.heard(left.ask.approval_id, 'channel_closed');
      expect(await statusOf(waiting.ask)).toBe('pending');
      expect(await vote(waiting.ask)).toMatchObject({ kind: 'counted', approval: { status: 'approved' } });
      expect(value(await alive.bus.ask(consumeApproval, consumption(waiting.ask))).kind).toBe('consumed');
      const outcome = receipt({ call_id: waiting.ask.call_id });
      const { positions } = value(await alive.bus.ask(appendReceipts, { receipts: [outcome] }));
      expect(positions[0]?.refused).toBeUndefined();
      expect(await outcomesOf(waiting.ask.call_id)).toMatchObject([{ outcome: 'completed' }]);
    });
  });

  it('or not: of 100 consumptions at once one gets the approval, with one intent (H2)', async () => {
    const { ask } = await made(alive.bus);
    expect(await vote(ask)).toMatchObject({ kind: 'counted' });
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => value(await alive.bus.ask(consumeApproval, consumption(ask)))),
    );
    expect(answers.filter(({ kind }) => kind === 'consumed')).toHaveLength(1);
    expect(answers.filter((each) => each.kind === 'refused' && each.status === 'consumed')).toHaveLength(99);
    const { receipts } = value(await alive.bus.ask(listReceipts, { tenant: acme, after: 0, limit: 1000 }));
    expect(
      receipts.filter((each) => each.kind === 'intent' && each.approval_id === ask.approval_id),
    ).toHaveLength(1);
  });
});
