import { ApprovalId, CallId, Digest, TenantId, type TenantSettings } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { caller, hex, settle, tenant } from '../call-spec/facts.fixture.js';
import { World } from '../call-spec/world.fixture.js';
import { RunningCall } from '../call/running-call.js';
import { Suspension } from './suspension.js';

type Suspended = TenantSettings['suspended'];

function suspensionIn(world: World) {
  const lists = new Map<string, Suspended>();
  const { room, clock } = world;
  const suspension = new Suspension({ room, clock, suspended: (of) => lists.get(of) });
  return {
    suspend: (suspended: Partial<Suspended>, of = tenant) => {
      lists.set(of, { users: [], agents: [], ...suspended });
      suspension.enforce(of);
    },
    close: () => suspension.close(),
  };
}

/** A call that waits already. */
function inRoom(world: World, change: object): RunningCall {
  const { room, entries, clock } = world;
  const asking = { ...caller, principal: { ...caller.principal, ...change } };
  const id = hex(room.size + 1);
  const proposed = { caller: asking, toolName: 'srv__write', argumentsJson: '{}' };
  const call = new RunningCall(CallId.parse(`call_${id}`), proposed, { clock, events: world });
  const [waiting] = entries;
  if (waiting === undefined) throw new Error('no entry');
  const staged = { entry: waiting, argumentsDigest: Digest.parse(`sha256:${'0'.repeat(64)}`) };
  room.enter({ approvalId: ApprovalId.parse(`appr_${id}`), call, staged });
  return call;
}

describe('suspension', () => {
  it('ends what waits for a human on behalf of a suspended user: denied, the record cancelled, nothing run', async () => {
    const world = new World();
    const { suspend } = suspensionIn(world);
    const { handle, approvalId } = await world.waiting();
    suspend({ users: [caller.principal.subject] });
    const ended = await handle.ended;
    expect(ended.outcome).toBe('policy_denied');
    expect(world.written.at(-1)).toMatchObject({ outcome: 'policy_denied', cause: 'suspended' });
    expect(world.ends).toEqual(['cancelled']);
    world.settle(approvalId, 'approved');
    expect(world.runs).toEqual([]);
  });

  it('ends calls of a suspended agent, whomever it acts for, and leaves all others waiting', () => {
    const world = new World();
    const { suspend } = suspensionIn(world);
    const own = inRoom(world, {});
    const agents = inRoom(world, { agent_id: 'coder' });
    const alone = inRoom(world, { kind: 'agent', subject: 'coder' });
    const namesake = inRoom(world, { subject: 'coder' });
    suspend({ agents: ['coder'] });
    expect([own, agents, alone, namesake].map(({ interruption }) => interruption)).toEqual([
      undefined,
      'suspended',
      'suspended',
      undefined,
    ]);
  });

  it('ends nothing of another tenant', async () => {
    const world = new World();
    const { suspend } = suspensionIn(world);
    const { handle } = await world.waiting();
    suspend({ users: [caller.principal.subject] }, TenantId.parse('other'));
    await settle();
    expect(handle.state().kind).toBe('pending');
  });

  it('ends a call that was decided before and came to wait just after', async () => {
    const world = new World();
    const { suspend } = suspensionIn(world);
    suspend({ users: [caller.principal.subject] });
    const { handle } = await world.waiting();
    await world.clock.advance(3_000);
    expect((await handle.ended).outcome).toBe('policy_denied');
  });

  it('looks at nothing any more once it is closed', async () => {
    const world = new World();
    const { suspend, close } = suspensionIn(world);
    suspend({ users: [caller.principal.subject] });
    close();
    const { handle } = await world.waiting();
    await world.clock.advance(3_000);
    expect(handle.state().kind).toBe('pending');
  });
});
