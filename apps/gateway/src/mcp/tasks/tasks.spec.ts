import type { HostAnswer } from '@uar/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../http-spec/gateway.fixture.js';
import { decided } from '../../http-spec/neighbours.fixture.js';
import { errorOf, ran, resultOf, TaskClient, tasksExtension, TaskWorld } from './task-client.fixture.js';

let world: TaskWorld;
let client: TaskClient;
beforeEach(async () => {
  world = await TaskWorld.start();
  client = new TaskClient(world.gateway);
});
afterEach(() => world.stop());

describe('a call of a tool that takes its time', () => {
  it('is a task of a client that knows tasks, and ends with what the upstream sent', async () => {
    const created = await client.begin('srv__job');
    const { taskId } = created;
    expect(created).toEqual({
      resultType: 'task',
      taskId: expect.stringMatching(/^call_[0-9a-f]{32}$/) as string,
      status: 'working',
      createdAt: expect.any(String) as string,
      lastUpdatedAt: created['createdAt'],
      ttlMs: 3_600_000,
      pollIntervalMs: 1_000,
      _meta: expect.any(Object) as object,
    });
    expect(Math.abs(Date.parse(String(created['createdAt'])) - Date.now())).toBeLessThan(10_000);
    expect(await client.get(created)).toEqual({ ...created, resultType: 'complete' });
    await world.finish(created, ran('{"content":[],"odd":1.50}'));
    const ended = await client.end(created);
    expect(ended).toMatchObject({
      ...{ resultType: 'complete', taskId, status: 'completed', createdAt: created['createdAt'] },
      result: {
        odd: 1.5,
        _meta: { 'io.uar/call': { call_id: taskId, outcome: 'completed', effect: 'ran' } },
      },
    });
    expect(Number(ended['ttlMs'])).toBeGreaterThan(3_600_000);
    expect((await client.ask('tasks/get', { taskId })).text).toContain('"odd":1.50');
  });

  it('is answered in place where it is quick, and where it is refused', async () => {
    world.answerWith(ran('{"content":[]}'));
    expect(resultOf(await client.call('srv__job'))).toMatchObject({ resultType: 'complete', content: [] });
    world.gateway.neighbours.decide = () => ({
      ...{ kind: 'deny', outcome: 'policy_denied', cause: 'no', ...decided },
    });
    expect(resultOf(await client.call('srv__job'))).toMatchObject({ resultType: 'complete', isError: true });
  });

  it('is plain for a client that knows no tasks, and refused where it must be a task', async () => {
    world.answerWith(ran('{"content":[]}'));
    world.gateway.neighbours.discovers = ({ labels }) => labels.length === 0;
    const plain = new TaskClient(world.gateway, { capabilities: {} });
    expect(resultOf(await plain.call('srv__job'))).toMatchObject({ resultType: 'complete', content: [] });
    const refused = await plain.call('srv__duty');
    expect([refused.status, errorOf(refused)]).toEqual([
      400,
      {
        code: -32021,
        message: expect.any(String) as string,
        data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
      },
    ]);
    // Of what it may not know it is told nothing: that goes the way of every call.
    expect((await plain.call('srv__secret_duty')).status).toBe(200);
  });

  it('stays with its request where it cannot be kept', async () => {
    const { ledger, calls } = world.gateway.neighbours;
    ledger.keeps = false;
    const answered = client.call('srv__job');
    await until(() => ledger.unkept > 0);
    await world.finish(String(calls[0]?.call_id), ran('{"content":[]}'));
    expect(resultOf(await answered)).toMatchObject({ resultType: 'complete', content: [] });
  });

  const ends: [HostAnswer, object][] = [
    [
      ran('{"content":[],"isError":true}', true),
      { status: 'completed', result: { isError: true, _meta: { 'io.uar/call': { outcome: 'tool_error' } } } },
    ],
    [
      { kind: 'upstream_error', code: -32005, message: 'broken', data_json: '{"n":1.50}' },
      {
        status: 'failed',
        error: {
          ...{ code: -32005, message: 'broken' },
          data: {
            upstream: { n: 1.5 },
            'io.uar/call': { outcome: 'upstream_error', effect: 'may_have_run' },
          },
        },
      },
    ],
    [
      { kind: 'timeout' },
      { status: 'failed', error: { code: -32603, data: { 'io.uar/call': { outcome: 'timeout' } } } },
    ],
    // Longer than the ledger keeps, by itself and as soon as more stands around it.
    ...[1_048_576, 1_048_450].map((length): [HostAnswer, object] => [
      ran(`{"content":[],"long":"${'x'.repeat(length)}"}`),
      { status: 'completed', result: { long: 'x'.repeat(length) } },
    ]),
    [
      { kind: 'upstream_error', code: -32005, message: 'm', data_json: `"${'x'.repeat(1_048_576)}"` },
      { status: 'failed', error: { code: -32005, data: { upstream: 'x'.repeat(1_048_576) } } },
    ],
  ];
  it('ends as its call ended', async () => {
    const endOf = async (answer: HostAnswer, n: number) => {
      const task = await client.begin('srv__job', { n });
      await world.finish(task, answer);
      return client.end(task);
    };
    const ended = await Promise.all(ends.map(([answer], n) => endOf(answer, n)));
    for (const [n, [, expected]] of ends.entries()) {
      expect(ended[n]).toMatchObject(expected);
      expect(Object.hasOwn(ended[n] ?? {}, 'result')).not.toBe(Object.hasOwn(ended[n] ?? {}, 'error'));
    }
  });

  it('is cancelled, which is answered alike as often as it is asked', async () => {
    const task = await client.begin('srv__job');
    const acknowledged = await client.cancel(task);
    expect(acknowledged).toEqual({ resultType: 'complete', _meta: expect.any(Object) as object });
    expect(await client.get(task)).toMatchObject({
      status: 'cancelled',
      _meta: { 'io.uar/call': { outcome: 'cancelled_after_dispatch', effect: 'may_have_run' } },
    });
    expect(await client.cancel(task)).toEqual(acknowledged);
    expect(world.gateway.neighbours.cancelled).toEqual([task['taskId']]);
  });
});
