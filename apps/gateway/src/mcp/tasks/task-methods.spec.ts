import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  errorOf,
  knowsTasks,
  resultOf,
  TaskClient,
  tasksExtension,
  TaskWorld,
} from './task-client.fixture.js';

let world: TaskWorld;
let client: TaskClient;
beforeAll(async () => {
  world = await TaskWorld.start();
  client = new TaskClient(world.gateway);
});
afterAll(() => world.stop());

const methods = ['tasks/get', 'tasks/update', 'tasks/cancel'];
const paramsOf = (taskId: unknown) => ({ taskId, inputResponses: {} });

describe('the methods of tasks', () => {
  it('are advertised as an extension alone', async () => {
    const { capabilities } = resultOf(await client.ask('server/discover', {})) as { capabilities?: object };
    expect(capabilities).toMatchObject({ extensions: { [tasksExtension]: {} } });
    expect(capabilities).not.toHaveProperty('tasks');
  });

  it.each([{}, { extensions: {} }, { extensions: { [tasksExtension]: true } }, { tasks: {} }])(
    'are refused to a client that declares %j',
    async (capabilities) => {
      const other = new TaskClient(world.gateway, { capabilities });
      for (const method of methods) {
        const refused = await other.ask(method, paramsOf('call_0'));
        expect([refused.status, errorOf(refused)['code']]).toEqual([400, -32021]);
      }
    },
  );

  it.each([undefined, 1, null, '', 'call_0', `call_${'0'.repeat(32)}`, `call_${'F'.repeat(32)}`, '../x'])(
    'know no task %j',
    async (taskId) => {
      for (const method of methods) {
        const answer = await client.ask(method, paramsOf(taskId));
        // What is no text has no header that could say the same.
        const isNamed = typeof taskId === 'string' || taskId === undefined;
        expect(isNamed || taskId === null ? [-32602, -32020] : [-32602]).toContain(errorOf(answer)['code']);
      }
    },
  );

  it.each(['tasks/list', 'tasks/result'])('%s are not among them', async (method) => {
    const answer = await client.ask(method, paramsOf('call_0'));
    expect([answer.status, errorOf(answer)['code']]).toEqual([404, -32601]);
  });

  it('take no answers of another shape', async () => {
    const { taskId } = await client.begin('srv__job');
    for (const inputResponses of [null, [], 'x', { a: 1 }, { a: null }, undefined])
      expect(errorOf(await client.ask('tasks/update', { taskId, inputResponses }))).toMatchObject({
        code: -32602,
      });
  });

  it('tell nobody else of a task, whatever right it has', async () => {
    const task = await client.begin('srv__job');
    const others = [
      new TaskClient(world.gateway, { token: world.gateway.token('bob') }),
      new TaskClient(world.gateway, { token: world.gateway.token('ada', ['admin'], 'helper') }),
    ];
    for (const other of others)
      for (const method of methods)
        expect(errorOf(await other.ask(method, paramsOf(task['taskId'])))).toMatchObject({ code: -32602 });
    expect(world.gateway.neighbours.cancelled).toEqual([]);
    expect(await client.get(task)).toMatchObject({ status: 'working' });
  });

  it('need the scope for calls, but for reading', async () => {
    const token = world.gateway.scoped('tools:read');
    const reader = new TaskClient(world.gateway, { token, capabilities: knowsTasks });
    const statuses = [];
    for (const method of methods) statuses.push((await reader.ask(method, paramsOf('call_0'))).status);
    expect(statuses).toEqual([200, 403, 403]);
  });
});
