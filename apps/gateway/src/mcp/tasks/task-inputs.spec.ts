import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until, type Gateway } from '../../http-spec/gateway.fixture.js';
import type { Message } from '../raw-client.fixture.js';
import { StatelessClient } from '../stateless/stateless-client.fixture.js';
import { knowsTasks, ran, resultOf, TaskClient, TaskWorld } from './task-client.fixture.js';

const capabilities = { ...knowsTasks, elicitation: {} };
let world: TaskWorld;
let other: Gateway;
let client: TaskClient;
/** Of the call that runs. */
let askOf: ((message: string) => Promise<unknown>) | undefined;
const ask = async (message: string): Promise<unknown> => {
  await until(() => askOf !== undefined);
  return askOf?.(message);
};
beforeEach(async () => {
  world = await TaskWorld.start();
  other = await world.gateway.replica();
  client = new TaskClient(world.gateway, { capabilities });
  const { neighbours } = world.gateway;
  const { run } = neighbours;
  askOf = undefined;
  neighbours.run = (call) => {
    askOf = async (message) => {
      const reply = await neighbours.askClient({
        ...{ seat_id: call.seat?.id ?? '', call_id: call.call_id, method: 'elicitation/create' },
        params_json: JSON.stringify({ message }),
      });
      return reply.kind === 'answered' ? reply.value : reply;
    };
    return run(call);
  };
});
afterEach(() => Promise.all([world.stop(), other.running.stop()]));

const keyOf = ({ inputRequests }: Message, message: string): string =>
  Object.entries(inputRequests ?? {}).find(
    ([, one]) => String(one['params']?.['message']) === message,
  )?.[0] ?? '';
const given = (answer: string) => ({ kind: 'answered', result_json: answer });

describe('what an upstream asks while its call is a task', () => {
  it('is answered piece by piece at any gateway, and by its own client alone', async () => {
    const task = await client.begin('srv__job');
    const [one, two] = [ask('one?'), ask('two?')];
    const there = new TaskClient(other, { capabilities });
    let asked: Message = {};
    await until(async () => {
      asked = await there.get(task);
      return Object.keys(asked['inputRequests'] ?? {}).length === 2;
    });
    expect(asked).toMatchObject({ status: 'input_required' });
    const [first, second] = [keyOf(asked, 'one?'), keyOf(asked, 'two?')];
    expect(asked['inputRequests']?.[first]).toEqual({
      method: 'elicitation/create',
      params: { message: 'one?' },
    });
    const { taskId } = task;
    const bob = new TaskClient(other, { capabilities, token: other.token('bob') });
    await bob.ask('tasks/update', { taskId, inputResponses: { [second]: { action: 'decline' } } });
    await there.ask('tasks/update', { taskId, inputResponses: { nobody: { a: 1 }, [first]: { n: 1 } } });
    expect(await one).toEqual(given('{"n":1}'));
    const left = await client.get(task);
    expect([left['status'], Object.keys(left['inputRequests'] ?? {})]).toEqual(['input_required', [second]]);
    await client.ask('tasks/update', { taskId, inputResponses: { [first]: { n: 2 }, [second]: { n: 3 } } });
    expect(await two).toEqual(given('{"n":3}'));
    const working = await there.get(task);
    expect(working).toMatchObject({ status: 'working' });
    expect(working).not.toHaveProperty('inputRequests');
    await world.finish(task, ran('{"content":[]}'));
    expect(await there.end(task)).toMatchObject({ status: 'completed' });
  });

  it('is asked of nobody any more once it is cancelled', async () => {
    const task = await client.begin('srv__job');
    const asked = ask('one?');
    await until(async () => String((await client.get(task))['status']) === 'input_required');
    await client.cancel(task);
    expect(await asked).toEqual({ kind: 'gone' });
    expect(await client.get(task)).not.toHaveProperty('inputRequests');
  });
});

describe('what an upstream asks before its call is a task', () => {
  it('is asked in the plain way; the call is a task when it is answered', async () => {
    for (const place of [world.gateway, other]) {
      const args = { at: place.url };
      askOf = undefined;
      const calling = client.call('srv__job', args);
      const asked = ask('who?');
      const round = resultOf(await calling);
      expect(round).toMatchObject({ resultType: 'input_required' });
      expect(round).not.toHaveProperty('taskId');
      const inputResponses = { [keyOf(round, 'who?')]: { name: 'Alice' } };
      const back = new StatelessClient(place, { capabilities });
      const { requestState } = round;
      const task = resultOf(await back.call('srv__job', args, { requestState, inputResponses }));
      expect(await asked).toEqual(given('{"name":"Alice"}'));
      expect(task).toMatchObject({ resultType: 'task', status: 'working' });
      expect(task).not.toHaveProperty('requestState');
      await world.finish(task, ran('{"content":[]}'));
      expect(await client.end(task)).toMatchObject({ status: 'completed' });
    }
  });
});
