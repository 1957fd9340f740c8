import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../http-spec/gateway.fixture.js';
import { oneHuman } from '../../http-spec/neighbours.fixture.js';
import type { Message } from '../raw-client.fixture.js';
import { knowsTasks, ran, TaskClient, TaskWorld } from './task-client.fixture.js';

const tool = 'srv__write';
let world: TaskWorld;
let client: TaskClient;
beforeEach(async () => {
  world = await TaskWorld.start();
  world.gateway.neighbours.decide = oneHuman;
  client = new TaskClient(world.gateway, { capabilities: { ...knowsTasks, elicitation: { url: {} } } });
});
afterEach(() => world.stop());

const approvalId = () => String([...world.gateway.neighbours.records.keys()].at(-1));
const vote = (decision: 'approve' | 'reject') =>
  world.gateway.ask('POST', `/api/uar/approvals/${approvalId()}/decision`, {
    body: { decision },
    token: world.gateway.token('bob'),
  });

describe('a task that waits for a human', () => {
  it('sends its client to the page, and runs once when it is approved, whatever the client answers', async () => {
    const task = await client.begin(tool, { n: 1 });
    const id = approvalId();
    expect(task).toMatchObject({ status: 'input_required' });
    expect(task).not.toHaveProperty('inputRequests');
    expect(await client.get(task)).toMatchObject({
      status: 'input_required',
      inputRequests: {
        [id]: {
          method: 'elicitation/create',
          params: { mode: 'url', url: `${world.gateway.url}/approvals/${id}` },
        },
      },
    });
    const inputResponses = { [id]: { action: 'accept' }, other: { action: 'decline' } };
    const updated = await client.ask('tasks/update', { taskId: task['taskId'], inputResponses });
    expect(updated.messages.at(-1)?.['result']).toEqual({
      resultType: 'complete',
      _meta: expect.any(Object) as object,
    });
    expect(await client.get(task)).toMatchObject({ status: 'input_required' });
    expect(world.gateway.neighbours.calls).toEqual([]);
    await vote('approve');
    let working: Message = {};
    await until(async () => String((working = await client.get(task))['status']) === 'working');
    expect(working).not.toHaveProperty('inputRequests');
    await world.finish(task, ran('{"content":[],"n":1}'));
    expect(await client.end(task)).toMatchObject({ status: 'completed', result: { n: 1 } });
    expect(world.gateway.neighbours.calls.length).toBe(1);
  });

  it('works on for a client that opens no pages, which is told for what', async () => {
    const plain = new TaskClient(world.gateway);
    const task = await plain.begin(tool, { n: 2 });
    expect(task).toMatchObject({
      status: 'working',
      statusMessage: expect.stringContaining(approvalId()) as string,
      _meta: { 'io.uar/call': { outcome: 'pending', approval_id: approvalId() } },
    });
    await vote('reject');
    expect(await plain.end(task)).toMatchObject({
      status: 'failed',
      error: {
        code: -32603,
        data: { 'io.uar/call': { outcome: 'approval_rejected', effect: 'did_not_run' } },
      },
    });
  });

  it('is cancelled with its question', async () => {
    const task = await client.begin(tool, { n: 3 });
    await client.cancel(task);
    expect(await client.get(task)).toMatchObject({
      status: 'cancelled',
      _meta: { 'io.uar/call': { outcome: 'cancelled', effect: 'did_not_run' } },
    });
    expect((await vote('approve')).status).not.toBe(200);
  });

  it('is the same task for who makes the same call again', async () => {
    const [one, two] = [await client.begin(tool, { n: 4 }), await client.begin(tool, { n: 4 })];
    expect(two['taskId']).toBe(one['taskId']);
    expect(world.gateway.neighbours.records.size).toBe(1);
  });
});
