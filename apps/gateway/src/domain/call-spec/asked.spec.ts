import { InstanceId } from '@uar/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { ParkedCalls, type ResumeAsk, type Resumed } from '../approval/parked-calls.js';
import type { CallHandle } from '../call/proposed-call.js';
import { CallClients } from '../client/call-clients.js';
import type { CallClient } from '../client/call-client.js';
import { ConnectedClients, type ClientAnswer } from '../client/connected-clients.js';
import { EndedCalls } from '../execute/ended-calls.js';
import { caller, needsHuman, settle } from './facts.fixture.js';
import { World } from './world.fixture.js';

const gateway = InstanceId.parse('f'.repeat(16));
const declared = { roots: {} };
const minute = 60_000;

describe('a call whose upstream asks a client without a session', () => {
  let world: World;
  let clients: ConnectedClients;
  let callClients: CallClients;
  let parked: ParkedCalls;
  let client: CallClient;
  let answers: ClientAnswer[];
  let answered: () => void;
  beforeEach(() => {
    world = new World();
    const { clock } = world;
    clients = new ConnectedClients(gateway);
    callClients = new CallClients({ clients, gateway, clock });
    parked = new ParkedCalls({
      running: (callId) => world.pipeline.running(callId),
      ended: new EndedCalls(),
      clock,
      leave: () => Promise.reject(new Error('nobody wished for a task')),
    });
    answers = [];
    world.reply = async ({ seat, call_id }) => {
      const ask = { ask_id: call_id, seat_id: seat?.id ?? '', call_id, method: 'roots/list' } as const;
      const wait = new AbortController();
      answers.push(await clients.ask({ ...ask, params_json: '{}' }, wait as never));
      await new Promise<void>((resolve) => (answered = resolve));
      return { kind: 'ran', result_json: '{}', is_error: false };
    };
  });

  /** Proposed, asked, and left by its client. */
  async function asked(tool = 'srv__read', deadlineMs = 60 * minute): Promise<CallHandle> {
    const begun = callClients.begin(caller, { declared, level: undefined, given: new Map() });
    if (begun === undefined) throw new Error('there is no client');
    client = begun;
    const handle = world.propose(tool, { seat: client.seat, client, deadlineMs });
    client.runs(handle);
    await settle();
    handle.park();
    return handle;
  }
  const resume = (handle: CallHandle, more: Partial<ResumeAsk> = {}): Promise<Resumed> =>
    parked.resume({ caller, callId: handle.callId, waitMs: 0, declared, onCancel: () => undefined, ...more });

  it('is given up where its client never returns: the upstream hears it, and the receipt says it', async () => {
    const handle = await asked();
    const away = parked.sendAway(handle.callId);
    expect(away).toMatchObject({ shown: 1, until: world.clock.now() + 9 * minute });
    await world.clock.advance(9 * minute - 1);
    expect([answers, world.cancels]).toEqual([[], []]);
    await world.clock.advance(1);
    expect([answers, world.cancels]).toEqual([[{ kind: 'gone' }], [handle.callId]]);
    await world.clock.advance(minute);
    expect([(await handle.ended).outcome, world.written.at(-1)?.outcome]).toEqual([
      'cancelled_after_dispatch',
      'cancelled_after_dispatch',
    ]);
  });

  it('is given up no later than its deadline allows', async () => {
    const handle = await asked('srv__read', 2 * minute);
    expect(parked.sendAway(handle.callId)?.until).toBe(world.clock.now() + 2 * minute);
  });

  it('goes on with whoever is back in time, and is given up as late again', async () => {
    const handle = await asked();
    const first = parked.sendAway(handle.callId);
    await world.clock.advance(8 * minute);
    const resumed = resume(handle);
    await world.clock.advance(minute);
    expect(await resumed).toMatchObject({ kind: 'asked', asked: { asks: first?.asks, shown: 1 } });
    await world.clock.advance(8 * minute);
    expect(answers).toEqual([]);
    const [{ key = '' } = {}] = first?.asks ?? [];
    const done = resume(handle, { answers: { shown: 1, byKey: new Map([[key, '{"roots":[]}']]) } });
    await settle();
    answered();
    expect(await done).toMatchObject({ kind: 'ended', ended: { outcome: 'completed', resultJson: '{}' } });
    expect(answers).toEqual([{ kind: 'answered', result_json: '{"roots":[]}' }]);
  });

  it('is not sent away when nothing is asked any more', async () => {
    const handle = await asked();
    client.asks.end();
    expect(parked.sendAway(handle.callId)).toBeUndefined();
  });

  it('is unknown to another principal, another run and another agent', async () => {
    const handle = await asked();
    const { principal } = caller;
    for (const other of [
      { ...caller, principal: { ...principal, subject: 'eve' } },
      { ...caller, principal: { ...principal, agent_id: 'a' } },
      { ...caller, run_id: `run_${'9'.repeat(32)}` as typeof caller.run_id },
    ])
      expect(await resume(handle, { caller: other })).toEqual({ kind: 'unknown' });
    expect(answers).toEqual([]);
  });

  it('asks no client that waits for a human: what it brings is no vote', async () => {
    world.decideWith = needsHuman;
    const handle = await asked('srv__write');
    expect(parked.sendAway(handle.callId)).toBeUndefined();
    const pending = resume(handle, { answers: { shown: 9, byKey: new Map([['x', '{}']]) } });
    await world.clock.advance(1);
    expect(await pending).toMatchObject({ kind: 'pending' });
  });

  it('goes on without its client when the gateway stops', async () => {
    await asked();
    callClients.close();
    await settle();
    expect(answers).toEqual([{ kind: 'gone' }]);
  });

  it('waits with as many others of its principal as one session may have, and no more', async () => {
    await asked();
    const wait = new AbortController();
    for (let n = 0; n < 99; n += 1)
      void client.ask(
        { ask_id: `${n}`, seat_id: client.seatId, method: 'roots/list', params_json: '{}' },
        new AbortController().signal,
      );
    const other = callClients.begin(caller, { declared, level: undefined, given: new Map() });
    const ask = {
      ask_id: 'x',
      seat_id: other?.seatId ?? '',
      method: 'roots/list',
      params_json: '{}',
    } as const;
    expect(await other?.ask(ask, wait.signal)).toMatchObject({ kind: 'failed' });
  });
});
