import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Gateway } from '../../http-spec/gateway.fixture.js';
import { errorOf, ran, TaskClient, TaskWorld } from './task-client.fixture.js';

let world: TaskWorld;
let other: Gateway;
let here: TaskClient;
let there: TaskClient;
beforeEach(async () => {
  world = await TaskWorld.start();
  other = await world.gateway.replica();
  here = new TaskClient(world.gateway);
  there = new TaskClient(other);
});
afterEach(async () => {
  await Promise.all([world.stop(), other.running.stop()]);
});

describe('a task of another gateway', () => {
  it('is read while it runs and when it has ended', async () => {
    const task = await here.begin('srv__job');
    expect(await there.get(task)).toEqual(await here.get(task));
    await world.finish(task, ran('{"content":[],"odd":1.50}'));
    expect(await there.end(task)).toMatchObject({ status: 'completed', result: { odd: 1.5 } });
  });

  it('is cancelled', async () => {
    const task = await here.begin('srv__job');
    await there.cancel(task);
    expect(world.gateway.neighbours.cancelled).toEqual([task['taskId']]);
    expect(await there.get(task)).toMatchObject({ status: 'cancelled' });
  });

  it('is unknown to everybody else', async () => {
    const task = await here.begin('srv__job');
    const bob = new TaskClient(other, { token: other.token('bob') });
    for (const method of ['tasks/get', 'tasks/cancel'])
      expect(errorOf(await bob.ask(method, { taskId: task['taskId'] }))).toMatchObject({ code: -32602 });
    expect(world.gateway.neighbours.cancelled).toEqual([]);
  });

  it('works on, as far as anybody knows, while its gateway does not answer', async () => {
    const task = await there.begin('srv__job');
    await world.finish(task, ran('{"content":[]}'));
    const { kept } = world.gateway.neighbours.ledger;
    const lost = await there.begin('srv__job', { again: true });
    const pending = kept.get(String(lost['taskId']));
    await world.finish(lost, ran('{"content":[]}'));
    await there.end(lost);
    // As the ledger has it when a gateway is gone and its calls are not closed yet.
    kept.set(String(lost['taskId']), pending!);
    await other.running.stop();
    expect(await here.get(task)).toMatchObject({ status: 'completed' });
    expect(await here.get(lost)).toMatchObject({ status: 'working' });
    // Nobody is told that something was done to it.
    for (const method of ['tasks/update', 'tasks/cancel']) {
      const params = { taskId: lost['taskId'], inputResponses: {} };
      expect(errorOf(await here.ask(method, params))).toMatchObject({ code: -32603 });
    }
    const path = `/api/uar/calls/${String(lost['taskId'])}/cancel`;
    expect((await world.gateway.ask('POST', path)).status).toBe(202);
    other = await world.gateway.replica();
  });

  it('is a call that its owner cancels over HTTP at any gateway', async () => {
    const task = await here.begin('srv__job');
    const path = `/api/uar/calls/${String(task['taskId'])}/cancel`;
    const cancelled = await other.ask('POST', path);
    expect([cancelled.status, cancelled.body['outcome']]).toEqual([200, 'cancelled_after_dispatch']);
    expect((await other.ask('POST', path, { token: other.token('bob') })).status).toBe(404);
  });
});
