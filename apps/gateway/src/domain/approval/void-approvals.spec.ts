import { describe, expect, it } from 'vitest';
import { entry } from '../call-spec/entry.fixture.js';
import { settle } from '../call-spec/facts.fixture.js';
import { World } from '../call-spec/world.fixture.js';
import { VoidApprovals } from './void-approvals.js';

const changed = entry('write', { capabilities: ['write'] }, { type: 'object', title: 'other' });
const unreviewed = entry('write', { capabilities: ['write'], pinned: false });

function watched() {
  const world = new World();
  const approvals = new VoidApprovals({ room: world.room, catalog: world, clock: world.clock });
  const turn = (entries: typeof world.entries) => {
    world.entries = entries;
    approvals.enforce();
  };
  return { world, approvals, turn };
}

describe('VoidApprovals', () => {
  it.each([
    ['changed', changed, 'definition_changed'],
    ['awaits review', unreviewed, 'definition_unreviewed'],
  ])('ends at once, record and call, what waits for a tool whose definition %s', async (_how, now, cause) => {
    const { world, turn } = watched();
    const { handle, approvalId } = await world.waiting();
    turn([now]);
    const ended = await handle.ended;
    expect(ended).toMatchObject({ outcome: 'quarantined', approval: { status: 'cancelled' } });
    expect(world.records.get(approvalId)?.status).toBe('cancelled');
    expect(world.written).toMatchObject([{ kind: 'outcome', outcome: 'quarantined', cause }]);
    expect(world.runs).toEqual([]);
  });

  it('ends an approved call that was parked and so not consumed', async () => {
    const { world, turn } = watched();
    const { handle, approvalId } = await world.waiting();
    handle.park();
    world.settle(approvalId, 'approved');
    await settle();
    turn([changed]);
    expect((await handle.ended).outcome).toBe('quarantined');
    expect(world.ends).toEqual(['cancelled']);
    expect(world.propose('srv__write').callId).not.toBe(handle.callId);
  });

  it('ends a call that came to wait just after the change', async () => {
    const { world, turn } = watched();
    turn([changed]);
    world.entries = [entry('write', { capabilities: ['write'] })];
    const { handle } = await world.waiting();
    world.entries = [changed];
    await world.clock.advance(3_000);
    expect((await handle.ended).outcome).toBe('quarantined');
  });

  it('leaves alone what waits for other tools, for one that is only missing, and what is dispatched', async () => {
    const { world, approvals, turn } = watched();
    const { handle, approvalId } = await world.waiting();
    turn([
      entry('read', {}, { type: 'object', title: 'other' }),
      entry('write', { capabilities: ['write'] }),
    ]);
    turn([]);
    await settle();
    expect(handle.state().kind).toBe('pending');
    world.entries = [entry('write', { capabilities: ['write'] })];
    let answer: (() => void) | undefined;
    world.reply = () =>
      new Promise((resolve) => {
        answer = () => resolve({ kind: 'ran', result_json: '{"content":[]}', is_error: false });
      });
    world.settle(approvalId, 'approved');
    await expect.poll(() => world.runs.length).toBe(1);
    turn([changed]);
    answer?.();
    expect((await handle.ended).outcome).toBe('completed');
    expect(world.cancels).toEqual([]);
    approvals.close();
  });
});
