import type { Item, ItemMethod } from '@uar/contracts';
import { textDigest } from '@uar/json-text';
import { describe, expect, it } from 'vitest';
import type { ItemAsk, ItemEnded } from '../item/item-desk.js';
import { Items } from '../item/items.js';
import { LiveRuns } from '../run/live-runs.js';
import { effectiveRun } from '../run/effective-run.js';
import { caller, settle } from './facts.fixture.js';
import { World } from './world.fixture.js';

const secret = 'file:///notes?token=s3cret';
const resource: Item = { kind: 'resource', server: 'srv', id: secret };
const paramsJson = `{"uri":"${secret}"}`;
const notAsked = () => Promise.reject(new Error('not asked'));
const noLists = { list: notAsked, mayRead: notAsked };

function ask(world: World, changes: Partial<ItemAsk> = {}) {
  const method: ItemMethod = 'resources/read';
  return new Items(noLists, world.pipeline).request({
    caller,
    method,
    item: resource,
    paramsJson,
    ...changes,
  });
}

const end = (world: World, changes: Partial<ItemAsk> = {}): Promise<ItemEnded> => ask(world, changes).ended;
const denial = { kind: 'deny' as const, policy_version: 'v1', determining: [], governance: 'on' as const };
const noSuchServers = effectiveRun([{ mcp_servers: { mode: 'none' } }]);

describe('a request about a resource or prompt', () => {
  it('is decided, granted, sent once, and on record by its digests', async () => {
    const world = new World();
    const { callId, ended } = ask(world);
    expect(await ended).toEqual({
      callId,
      outcome: 'completed',
      message: 'The call completed.',
      resultJson: '{"content":[]}',
    });
    const [decision] = world.itemDecisions;
    expect(decision).toMatchObject({
      question: { call_id: callId, item: resource, method: 'resources/read' },
      target: { host: 'mcp', instance: world.itemRuns[0]?.instance },
    });
    expect(decision?.question.params_digest).toBe(textDigest(paramsJson));
    expect(world.itemRuns.map(({ request }) => request)).toMatchObject([
      { grant: 'item grant', call_id: callId, server: 'srv', item_id: secret, params_json: paramsJson },
    ]);
    expect(world.runs).toEqual([]);
    expect(world.written).toMatchObject([
      {
        kind: 'outcome',
        call_id: callId,
        outcome: 'completed',
        item: { kind: 'resource', server: 'srv', method: 'resources/read' },
        arguments_digest: textDigest(paramsJson),
        policy_version: 'v1',
        host: { kind: 'mcp', id: world.itemRuns[0]?.instance },
      },
    ]);
    expect(world.written[0]).not.toHaveProperty('tool');
    expect(JSON.stringify(world.written)).not.toContain('s3cret');
    expect(world.events).toEqual([]);
  });

  it('runs in the seat of its client, in the time that its server has', async () => {
    const world = new World();
    const seat = { id: 'one', gateway: world.instances[0] ?? never(), capabilities_json: '{}' };
    await end(world, { seat });
    expect(world.itemRuns[0]?.request).toMatchObject({ seat, timeout_ms: 30_000, max_result_bytes: 1_000 });
  });

  it('asks its host for progress where its client did', async () => {
    const world = new World();
    await end(world, { onProgress: () => undefined });
    await end(world, {});
    expect(world.itemRuns.map(({ request }) => request.wants_progress)).toEqual([true, false]);
  });

  it('is refused by the limits of calls under a name that no tool has', async () => {
    const world = new World();
    const names: string[] = [];
    world.callLimits = {
      refusal: (_, name) => {
        names.push(name);
        return { outcome: 'rate_limited', retryAfterMs: 7 };
      },
    };
    expect(await end(world)).toMatchObject({ outcome: 'rate_limited', retryAfterMs: 7 });
    expect(names).toEqual(['srv/resources/read']);
    expect(world.itemDecisions).toEqual([]);
  });

  it('is not taken while receipts cannot be written', async () => {
    const world = new World();
    world.isAccepting = false;
    expect((await end(world)).outcome).toBe('unavailable');
    expect(world.itemRuns).toEqual([]);
  });

  it('ends alike where the item may not be read and where there is no such server', async () => {
    const denied = new World();
    denied.decideItemWith = () => ({ ...denial, cause: 'not_permitted' });
    const missing = new World();
    missing.isServed = false;
    const one = await end(denied);
    const other = await end(missing);
    expect(one.outcome).toBe('policy_denied');
    expect({ ...other, callId: '' }).toEqual({ ...one, callId: '' });
    expect(denied.written).toMatchObject([{ outcome: 'policy_denied', cause: 'not_permitted' }]);
    expect(missing.written).toMatchObject([{ outcome: 'policy_denied', cause: 'no_such_server' }]);
    expect([...denied.itemRuns, ...missing.itemRuns]).toEqual([]);
  });

  it.each([
    ['its run does not leave the server', (world: World) => (world.scopes = noSuchServers), 'run_denied'],
    ['no host serves it', (world: World) => (world.instances = []), 'unavailable'],
  ])('is told that %s only where it may be read', async (_, arrange, outcome) => {
    const world = new World();
    arrange(world);
    expect((await end(world)).outcome).toBe(outcome);
    world.allowance = { kind: 'denied' };
    expect((await end(world)).outcome).toBe('policy_denied');
    world.allowance = { kind: 'unavailable', cause: 'pdp' };
    expect((await end(world)).outcome).toBe('unavailable');
    expect(world.itemRuns).toEqual([]);
  });

  it('is not taken from a run by what the run says of tools', async () => {
    const world = new World();
    world.scopes = effectiveRun([{ tools: { mode: 'none' }, tool_approval: 'ask' }]);
    expect((await end(world)).outcome).toBe('completed');
    expect(world.itemDecisions[0]?.question.caller.run_limits).toEqual({ tool_approval: 'ask' });
  });

  it('ends with its run, and without a PDP', async () => {
    const world = new World();
    world.runDenied = 'run_completed';
    expect((await end(world)).outcome).toBe('run_denied');
    world.runDenied = undefined;
    world.decideItemWith = () => ({ kind: 'unavailable', cause: 'pdp' });
    expect((await end(world)).outcome).toBe('unavailable');
    expect(world.itemRuns).toEqual([]);
  });

  it('is refused where it is too long to be asked about', async () => {
    const world = new World();
    expect((await end(world, { paramsJson: `{"uri":"${'x'.repeat(1_024)}"}` })).outcome).toBe(
      'invalid_arguments',
    );
    const endless = { ...resource, id: 'x'.repeat(2_049) };
    expect((await end(world, { item: endless })).outcome).toBe('invalid_arguments');
    expect(world.itemDecisions).toEqual([]);
  });

  it.each(['no_responders', 'not_owner'] as const)('goes elsewhere once after %s', async (kind) => {
    const world = new World();
    world.reply = () =>
      world.itemRuns.length === 1 ? { kind } : { kind: 'ran', result_json: '{}', is_error: false };
    expect((await end(world)).outcome).toBe('completed');
    const instances = world.itemRuns.map(({ instance }) => instance);
    expect(new Set(instances).size).toBe(2);
    expect(world.itemDecisions.map(({ target }) => target.instance)).toEqual(instances);
  });

  it('passes on what the upstream answered instead', async () => {
    const world = new World();
    world.reply = () => ({ kind: 'upstream_error', code: -32_002, message: 'no such resource' });
    expect(await end(world)).toMatchObject({
      outcome: 'upstream_error',
      upstreamError: { code: -32_002, message: 'no such resource' },
    });
  });

  it('is cancelled at its host, and hears of progress until it ends', async () => {
    const world = new World();
    world.reply = () => new Promise(() => undefined);
    let cancel = (): void => undefined;
    const heard: string[] = [];
    const { callId, ended } = ask(world, {
      onCancel: (listener) => (cancel = listener),
      onProgress: (it) => heard.push(it),
    });
    await settle();
    world.sayProgress(callId, '{"progress":1}');
    cancel();
    expect(world.cancels).toEqual([callId]);
    await world.clock.advance(5_000);
    expect((await ended).outcome).toBe('cancelled_after_dispatch');
    world.sayProgress(callId, '{"progress":2}');
    expect(heard).toEqual(['{"progress":1}']);
  });

  it('is taken back when its run is cancelled', async () => {
    const world = new World();
    world.reply = () => new Promise(() => undefined);
    const { callId, ended } = ask(world);
    await settle();
    const live = new LiveRuns(world, () => world.pipeline.calls);
    world.scopes = noSuchServers;
    live.check();
    expect(world.cancels).toEqual([]);
    world.runDenied = 'run_cancelled';
    live.check();
    expect(world.cancels).toEqual([callId]);
    await world.clock.advance(5_000);
    expect((await ended).outcome).toBe('cancelled_after_dispatch');
  });
});

function never(): never {
  throw new Error('no instance');
}
