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

describe('a task whose result is too long to be kept', () => {
  it('is read at any gateway while its own has the result, and then said to be without', async () => {
    const task = await there.begin('srv__job');
    const long = 'x'.repeat(1_048_576);
    await world.finish(task, ran(`{"content":[],"long":"${long}"}`));
    const path = `/api/uar/calls/${String(task['taskId'])}`;
    for (const client of [there, here])
      expect(await client.end(task)).toMatchObject({ status: 'completed', result: { long } });
    for (const gateway of [other, world.gateway])
      expect((await gateway.ask('GET', path)).body).toMatchObject({ error: null, result: { long } });
    await other.running.stop();
    const gateway = expect.stringMatching(/^[0-9a-f]{16}$/) as string;
    const details = { bytes: 1_048_600, gateway };
    expect(errorOf(await here.ask('tasks/get', { taskId: task['taskId'] }))).toEqual({
      code: -32602,
      message: 'the call has ended, and its result is not kept any more',
      data: {
        ...{ reason: 'result_not_kept', details },
        'io.uar/call': expect.objectContaining({ outcome: 'completed', effect: 'ran' }) as object,
      },
    });
    expect((await here.ask('tasks/cancel', { taskId: task['taskId'] })).status).toBe(200);
    expect((await world.gateway.ask('GET', path)).body).toMatchObject({
      ...{ outcome: 'completed', success: true, result: null },
      error: { code: 'result_not_kept', details },
    });
    other = await world.gateway.replica();
  });
});
