import type { InstanceId } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { Deferred } from '../call/deferred.js';
import { settle } from './facts.fixture.js';
import { World } from './world.fixture.js';

describe('a granted call', () => {
  it('goes to another instance once, with a grant of its own, where nothing ran', async () => {
    for (const kind of ['no_responders', 'not_owner'] as const) {
      const world = new World();
      world.reply = () =>
        world.runs.length === 1 ? { kind } : { kind: 'ran', result_json: '{}', is_error: false };
      expect((await world.propose().ended).outcome).toBe('completed');
      const [first, second] = world.runs;
      expect(first?.instance).not.toBe(second?.instance);
      expect(first?.call.call_id).toBe(second?.call.call_id);
      expect(world.decisions.map(({ target }) => target?.instance)).toEqual([
        first?.instance,
        second?.instance,
      ]);
    }
  });

  it.each(['timeout', 'transport_failure'] as const)('is never sent again after a %s', async (kind) => {
    const world = new World();
    world.reply = () => ({ kind, message: '' });
    await world.propose().ended;
    expect(world.runs.length).toBe(1);
  });

  it('says how to connect a server that wants credentials of itself, or of the caller', async () => {
    for (const [cause, path] of [
      ['auth_required', 'connect'],
      ['own_auth_required', 'connect/own'],
    ] as const) {
      const world = new World();
      world.reply = () => ({ kind: 'unavailable', message: '', cause });
      const { outcome, details } = await world.propose().ended;
      expect({ outcome, details }).toEqual({
        outcome: 'unavailable',
        details: { reason: 'auth_required', connect: `POST /api/uar/mcp/servers/srv/${path}` },
      });
    }
  });

  it.each(['caller_token_missing', 'exchange_refused'] as const)(
    'says the way out where its server acts for the caller: %s',
    async (cause) => {
      const world = new World();
      world.reply = () => ({ kind: 'unavailable', message: '', cause });
      const { outcome, details } = await world.propose().ended;
      expect({ outcome, details }).toEqual({
        outcome: 'unavailable',
        details: { reason: cause, way_out: expect.stringMatching(/bearer token|authorization server/) },
      });
    },
  );

  it('goes out with the token of its caller to a server that acts by it, and to no other', async () => {
    const world = new World();
    await world.propose('srv__read').ended;
    world.callerToken = () => Promise.resolve('encrypted');
    await world.propose('srv__read').ended;
    world.callerToken = () => Promise.resolve(undefined);
    await world.propose('srv__read').ended;
    expect(world.runs.map(({ call }) => call.caller_token)).toEqual([undefined, 'encrypted', undefined]);
  });

  it('is not sent once it was cancelled while the token of its caller was encrypted', async () => {
    const world = new World();
    const encrypted = new Deferred<string>();
    world.callerToken = () => encrypted.promise;
    const handle = world.propose('srv__read');
    await settle();
    handle.cancel();
    encrypted.resolve('encrypted');
    expect((await handle.ended).outcome).toBe('cancelled');
    expect(world.runs).toEqual([]);
  });

  it('goes out with the seat of its client, and without one where there is none', async () => {
    const world = new World();
    const seat = { id: 'seat', gateway: '0123456789abcdef' as InstanceId, capabilities_json: '{}' };
    await world.propose('srv__read', { seat }).ended;
    await world.propose('srv__read').ended;
    expect(world.runs.map(({ call }) => call.seat)).toEqual([seat, undefined]);
  });

  it('is waited for longer where its client may be asked meanwhile, and never beyond its deadline', async () => {
    const world = new World();
    const gateway = '0123456789abcdef' as InstanceId;
    for (const [capabilities_json, deadlineMs] of [
      ['{}', 3_600_000],
      ['{"roots":{}}', 3_600_000],
      ['{"roots":{}}', 60_000],
    ] as const)
      await world.propose('srv__read', { deadlineMs, seat: { id: 's', gateway, capabilities_json } }).ended;
    const [none, some, bounded] = world.runs.map(({ withinMs }) => withinMs);
    expect(some).toBe((none ?? 0) + 30 * 60_000);
    expect(bounded).toBe(60_500);
    expect(new Set(world.runs.map(({ call }) => call.timeout_ms)).size).toBe(1);
  });

  it('does not go elsewhere once it was cancelled', async () => {
    const world = new World();
    let answer = (): void => undefined;
    world.reply = () => new Promise((resolve) => (answer = () => resolve({ kind: 'no_responders' })));
    const handle = world.propose();
    await settle();
    handle.cancel();
    answer();
    expect((await handle.ended).outcome).toBe('cancelled');
    expect(world.runs.length).toBe(1);
  });

  it('keeps the host’s answer when it wins against the cancel', async () => {
    const world = new World();
    let answer = (): void => undefined;
    world.reply = () =>
      new Promise((resolve) => (answer = () => resolve({ kind: 'ran', result_json: '{}', is_error: false })));
    const handle = world.propose();
    await settle();
    handle.cancel();
    expect(world.cancels).toEqual([handle.callId]);
    answer();
    expect((await handle.ended).outcome).toBe('completed');
  });

  it('runs to its end when its waiter goes away', async () => {
    const world = new World();
    let answer = (): void => undefined;
    world.reply = () =>
      new Promise((resolve) => (answer = () => resolve({ kind: 'ran', result_json: '{}', is_error: false })));
    const handle = world.propose();
    await settle();
    handle.abandon();
    expect(world.cancels).toEqual([]);
    answer();
    expect((await handle.ended).outcome).toBe('completed');
  });

  it('is not sent when it was cancelled while it was decided', async () => {
    const world = new World();
    const handle = world.propose();
    handle.cancel();
    expect((await handle.ended).outcome).toBe('cancelled');
    expect(world.runs).toEqual([]);
  });

  it('has the time that tool and deadline leave', async () => {
    const world = new World();
    await world.propose('srv__read', { deadlineMs: 700 }).ended;
    await world.propose().ended;
    expect(world.runs.map(({ call }) => call.timeout_ms)).toEqual([700, 5_000]);
  });

  it('reports progress to its own caller until it ends, and to nobody else', async () => {
    const world = new World();
    let answer = (): void => undefined;
    world.reply = () =>
      new Promise((resolve) => (answer = () => resolve({ kind: 'ran', result_json: '{}', is_error: false })));
    const heard: string[] = [];
    const handle = world.propose('srv__read', { onProgress: (it) => heard.push(it) });
    await settle();
    world.sayProgress(handle.callId, '{"progress":1}');
    world.sayProgress('call_other', '{"progress":2}');
    answer();
    await handle.ended;
    world.sayProgress(handle.callId, '{"progress":3}');
    expect(heard).toEqual(['{"progress":1}']);
    expect(world.runs[0]?.call.wants_progress).toBe(true);
  });

  it('reports a refused grant once as a fault', async () => {
    const world = new World();
    world.reply = () => ({ kind: 'refused', cause: 'used' });
    const ended = await world.propose().ended;
    expect(ended.outcome).toBe('unavailable');
    expect(world.faults.length).toBe(1);
  });
});
