import { describe, expect, it } from 'vitest';
import { entry } from './entry.fixture.js';
import { allowed, asksHuman, caller, denied, needsHuman, settle } from './facts.fixture.js';
import { World } from './world.fixture.js';

describe('a call that waits for a human', () => {
  it('runs once after the approval: decided anew, consumed with the intent, granted', async () => {
    const world = new World();
    const { handle, approvalId } = await world.waiting();
    world.settle(approvalId, 'approved');
    const ended = await handle.ended;
    expect(ended).toMatchObject({
      outcome: 'completed',
      approval: { status: 'consumed' },
      intent: { seq: 1 },
    });
    expect(world.runs).toMatchObject([{ call: { grant: 'second grant' } }]);
    expect(world.written.map(({ kind }) => kind)).toEqual(['intent', 'outcome']);
    expect(world.decisions[1]).toMatchObject({ approval: { approval_id: approvalId } });
  });

  it.each([3_600_000, -3_600_000])(
    'may be approved for its 300 seconds and no longer, when the wall clock jumps by %i ms meanwhile',
    async (jump) => {
      const world = new World();
      const { handle, approvalId } = await world.waiting();
      world.clock.jump(jump);
      await world.clock.advance(299_999);
      expect(handle.state().kind).toBe('pending');
      await world.clock.advance(1);
      expect((await handle.ended).outcome).toBe('approval_timeout');
      expect(world.ends).toEqual(['expired']);
      world.settle(approvalId, 'approved');
      await settle();
      expect(world.runs).toEqual([]);
    },
  );

  it('notices an approval whose announcement was lost', async () => {
    const world = new World();
    const { handle, approvalId } = await world.waiting();
    world.settle(approvalId, 'approved', false);
    await world.clock.advance(3_000);
    expect((await handle.ended).outcome).toBe('completed');
  });

  it('is one call with an impatient retry: same id, one question, one execution, one result', async () => {
    const world = new World();
    const { handle, approvalId } = await world.waiting();
    const told: string[] = [];
    const retry = world.propose('srv__write', { onWaiting: (it) => told.push(it.approval_id) });
    await retry.decided;
    expect(retry.callId).toBe(handle.callId);
    expect(told).toEqual([approvalId]);
    const other = world.propose('srv__write', { argumentsJson: '{"a":2}' });
    await settle();
    expect(other.callId).not.toBe(handle.callId);
    expect(world.records.size).toBe(2);
    world.settle(approvalId, 'approved');
    expect(await retry.ended).toBe(await handle.ended);
    expect(world.runs.length).toBe(1);
  });

  it('joins two calls that come at the same moment', async () => {
    const world = new World();
    world.decideWith = needsHuman;
    const first = world.propose('srv__write');
    const second = world.propose('srv__write');
    await settle();
    expect(second.callId).toBe(first.callId);
    expect(world.records.size).toBe(1);
  });

  it('lets one waiter leave while another waits, and ends when the last one leaves', async () => {
    const world = new World();
    const { handle } = await world.waiting();
    const retry = world.propose('srv__write');
    await settle();
    handle.cancel();
    await settle();
    expect(retry.state().kind).toBe('pending');
    retry.abandon();
    expect((await retry.ended).outcome).toBe('channel_closed');
    expect((await handle.ended).outcome).toBe('channel_closed');
    expect(world.ends).toEqual(['channel_closed']);
  });

  it('ends for all its waiters when it is cancelled as a whole', async () => {
    const world = new World();
    const { handle } = await world.waiting();
    handle.detach();
    const whole = world.pipeline.find(handle.callId);
    whole?.cancel();
    expect((await whole?.ended)?.outcome).toBe('cancelled');
    expect(world.ends).toEqual(['cancelled']);
    expect(world.runs).toEqual([]);
  });

  it('goes on without a waiter once it is detached', async () => {
    const world = new World();
    const { handle, approvalId } = await world.waiting();
    handle.detach();
    handle.abandon();
    world.settle(approvalId, 'approved');
    expect((await handle.ended).outcome).toBe('completed');
  });

  it('runs a parked call only when the same call comes back', async () => {
    const world = new World();
    const { handle, approvalId } = await world.waiting();
    handle.park();
    world.settle(approvalId, 'approved');
    await settle();
    expect(world.runs).toEqual([]);
    const back = world.propose('srv__write');
    expect((await back.ended).outcome).toBe('completed');
    expect(back.callId).toBe(handle.callId);
    expect(world.runs.length).toBe(1);
  });

  it('ends a parked call that never comes back at its expiry', async () => {
    const world = new World();
    const { handle, approvalId } = await world.waiting();
    handle.park();
    world.settle(approvalId, 'approved');
    await world.clock.advance(300_000);
    expect((await handle.ended).outcome).toBe('approval_timeout');
    expect(world.runs).toEqual([]);
  });

  it.each([
    [
      'policy denies now',
      (world: World) => (world.decideWith = () => denied('policy_denied')),
      'policy_denied',
    ],
    [
      'policy hides it now',
      (world: World) => (world.decideWith = () => denied('unknown_tool')),
      'policy_denied',
    ],
    ['the votes do not release it', (world: World) => (world.decideWith = () => asksHuman), 'policy_denied'],
    [
      'its definition changed',
      (world: World) => (world.entries = [entry('write', {}, { type: 'object', title: 'other' })]),
      'quarantined',
    ],
    [
      'its definition awaits review',
      (world: World) =>
        (world.entries = [entry('write', { pinned: false }, { type: 'object', title: 'other' })]),
      'quarantined',
    ],
    ['the tool is gone', (world: World) => (world.entries = []), 'unavailable'],
    ['no instance serves it', (world: World) => (world.instances = []), 'unavailable'],
    ['the grant is refused', (world: World) => (world.granted = 'refused'), 'unavailable'],
  ])('does not run when %s', async (_why, change, outcome) => {
    const world = new World();
    const { handle, approvalId } = await world.waiting();
    change(world);
    world.settle(approvalId, 'approved');
    expect((await handle.ended).outcome).toBe(outcome);
    expect(world.runs).toEqual([]);
  });

  it('does not run for a principal that expired meanwhile', async () => {
    const world = new World();
    const expiring = { ...caller, principal: { ...caller.principal, expires_at: world.clock.now() + 1_000 } };
    const { handle, approvalId } = await world.waiting({ caller: expiring });
    await world.clock.advance(32_000);
    world.settle(approvalId, 'approved');
    expect((await handle.ended).outcome).toBe('policy_denied');
    expect(world.written.at(-1)).toMatchObject({ cause: 'principal_expired' });
    expect(world.ends).toEqual(['spent']);
  });

  it('holds no slot while it waits', async () => {
    const world = new World();
    world.decideWith = needsHuman;
    const narrow = world.assembled(1);
    const waits = narrow.propose({ caller, toolName: 'srv__write', argumentsJson: '{}' });
    await waits.decided;
    world.decideWith = () => allowed;
    const other = narrow.propose({ caller, toolName: 'srv__read', argumentsJson: '{}' });
    expect((await other.ended).outcome).toBe('completed');
  });

  it('is decided anew on the votes that were reviewed here, and does not run without any', async () => {
    const world = new World();
    const reviewed = await world.waiting();
    const about = { call_id: reviewed.handle.callId, approval_id: reviewed.approvalId };
    const approvers = [{ ...caller.principal, subject: 'somebody else' }];
    await world.votesReview.review({ ...about, approvers, requested_at: 7 });
    const unreviewed = await world.waiting({ argumentsJson: '{"a":2}' });
    world.record(reviewed.approvalId, 'approved');
    world.record(unreviewed.approvalId, 'approved');
    expect((await reviewed.handle.ended).outcome).toBe('completed');
    expect(world.decisions.at(-1)?.approval).toMatchObject({ approvers, requested_at: 7 });
    expect((await unreviewed.handle.ended).outcome).toBe('unavailable');
    expect([world.ends, world.runs.length]).toEqual([['spent'], 1]);
  });

  it('judges votes by the PDP, and only of calls that wait here', async () => {
    const world = new World();
    const { handle, approvalId } = await world.waiting();
    const ask = {
      call_id: handle.callId,
      approval_id: approvalId,
      approvers: [caller.principal],
      requested_at: 1,
    };
    expect(await world.votesReview.review(ask)).toEqual({ kind: 'released' });
    world.decideWith = () => asksHuman;
    expect(await world.votesReview.review(ask)).toEqual({ kind: 'not_released' });
    world.decideWith = () => ({ kind: 'unavailable', cause: 'pdp' });
    expect(await world.votesReview.review(ask)).toEqual({ kind: 'not_released' });
    const other = { ...ask, approval_id: `appr_${'9'.repeat(32)}` };
    expect(await world.votesReview.review(other)).toEqual({ kind: 'gone' });
    handle.abandon();
    await handle.ended;
    expect(await world.votesReview.review(ask)).toEqual({ kind: 'gone' });
  });

  it('ends as channel_closed when the gateway stops, and nothing new is taken', async () => {
    const world = new World();
    const { handle } = await world.waiting();
    await world.pipeline.close();
    expect((await handle.ended).outcome).toBe('channel_closed');
    expect((await world.propose().ended).outcome).toBe('unavailable');
  });
});
