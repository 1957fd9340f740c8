import { join } from 'node:path';
import { type Product, repositoryDir, type Replica, startProduct, startReplica } from '@uar/testkit';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import {
  admin,
  approvalWith,
  type Body,
  clientAt,
  clientOf,
  decide,
  eventually,
  toolListed,
  user,
} from '../../client.js';
import { keeps } from '../../keeps.js';
import { buses, createCounters, fixtureServer, ledgerOn, onBothBuses } from '../../on-both-buses.js';
import { callForTask, cancelTask, readTask, taskThat, updateTask } from '../../task-client.js';

const counters = createCounters();
afterAll(() => counters.remove());

/** An upstream that says of its tools that they take their time, and knows nothing of tasks itself. */
const slow = {
  transport: 'stdio',
  command: process.execPath,
  args: [join(repositoryDir, 'e2e/conformance/upstream/main.mjs')],
  placement: 'per_principal',
  tools: { overrides: { '*': { read_only: true, open_world: false } } },
};
const bigIsTask = { tools: { overrides: { big: { task: true } } } };
const outcomeOf = (task: Body) => task['_meta']?.['io.uar/call'];

onBothBuses(
  'tasks',
  (bus) => ({
    config: { mcp: { servers: { slow, fix: fixtureServer({ COUNT_FILE: counters[bus].file }) } } },
  }),
  (product, bus) => {
    const ada = () => clientOf(product());
    const uma = () => clientOf(product(), user);
    beforeAll(async () => {
      await toolListed(ada(), 'slow__slow_compute');
      await toolListed(ada(), 'fix__write');
    });

    keeps(
      ['mcp.tasks'],
      'a call that takes its time is a task of its caller alone, over HTTP a call as any other',
      async () => {
        const args = { seconds: 1.5, label: 'it' };
        const task = await callForTask(ada(), 'slow__slow_compute', args);
        expect(task).toMatchObject({ resultType: 'task', status: 'working' });
        expect(await readTask(uma(), task)).toMatchObject({ code: -32602 });
        expect(await cancelTask(uma(), task)).toMatchObject({ error: { code: -32602 } });
        const ended = await taskThat(ada(), task, 'completed');
        expect(ended['result']).toMatchObject({ content: [{ text: 'it took 1.5 s' }] });
        const { body } = await ada().get(`/api/uar/calls/${String(task['taskId'])}`);
        expect(body).toMatchObject({ outcome: 'completed', call_id: task['taskId'] });
      },
    );

    keeps(['mcp.tasks'], 'a task ends as its call does, and as cancelled where it is cancelled', async () => {
      const [failing, broken, endless] = await Promise.all([
        callForTask(ada(), 'slow__failing_job'),
        callForTask(ada(), 'slow__protocol_error_job'),
        callForTask(ada(), 'slow__slow_compute', { seconds: 20, label: 'never' }),
      ]);
      expect((await taskThat(ada(), failing, 'completed'))['result']).toMatchObject({ isError: true });
      expect((await taskThat(ada(), broken, 'failed'))['error']).toMatchObject({ code: -32603 });
      expect(await cancelTask(ada(), endless)).toMatchObject({ result: { resultType: 'complete' } });
      expect(outcomeOf(await taskThat(ada(), endless, 'cancelled'))).toMatchObject({
        outcome: 'cancelled_after_dispatch',
      });
    });

    keeps(
      ['mcp.tasks-asks'],
      'what an upstream asks during a task is answered piece by piece, by its caller alone',
      async () => {
        const task = await callForTask(ada(), 'slow__multi_input');
        const [one, two] = await eventually(async () => {
          const keys = Object.keys((await readTask(ada(), task))['inputRequests'] ?? {});
          return keys.length === 2 ? keys : undefined;
        });
        const named = (name: string) => ({ action: 'accept', content: { name } });
        await updateTask(uma(), task, { [String(one)]: named('eve'), [String(two)]: named('eve') });
        await updateTask(ada(), task, { [String(one)]: named('a') });
        const left = await readTask(ada(), task);
        expect(Object.keys(left['inputRequests'] ?? {})).toEqual([two]);
        await updateTask(ada(), task, { [String(two)]: named('b') });
        const { result } = await taskThat(ada(), task, 'completed');
        expect(['a, b', 'b, a']).toContain(String(result?.['content']?.['0']?.['text']));
      },
    );

    keeps(
      ['mcp.tasks', 'mcp.tasks-asks'],
      'a task that waits for a human shows the page, and runs once when a human allows it',
      async () => {
        const id = `task-${bus}`;
        const task = await callForTask(uma(), 'fix__write', { id });
        const approval = await approvalWith(ada(), id);
        const waiting = await readTask(uma(), task);
        const approvalId = String(approval['approval_id']);
        expect(waiting).toMatchObject({
          status: 'input_required',
          inputRequests: {
            [approvalId]: { params: { mode: 'url', url: `${product().gateway}/approvals/${approvalId}` } },
          },
        });
        await updateTask(uma(), task, { [approvalId]: { action: 'accept' } });
        expect(counters[bus].executions()).not.toContain(id);
        expect((await decide(ada(), approval, 'approve')).status).toBe(200);
        await taskThat(uma(), task, 'completed');
        expect(counters[bus].executions().filter((each) => each === id)).toEqual([id]);
      },
    );
  },
);

describe.runIf(buses.includes('nats'))('tasks at two gateways (nats)', () => {
  let product: Product;
  let first: Replica;
  beforeAll(async () => {
    product = await startProduct({
      bus: 'nats',
      ledger: ledgerOn('nats'),
      config: { mcp: { servers: { slow, fix: fixtureServer({}, bigIsTask) } } },
    });
    first = await startReplica(product, 'gateway');
    for (const url of [product.gateway, first.gateway ?? ''])
      await toolListed(clientAt(url, product.token(admin)), 'slow__multi_input');
  });
  afterAll(async () => {
    await first.kill();
    await product.stop();
  });
  const atFirst = () => clientAt(first.gateway ?? '', product.token(admin));
  const atOther = () => clientOf(product);
  const endless = (label: string) => callForTask(atFirst(), 'slow__slow_compute', { seconds: 20, label });

  keeps(
    ['mcp.tasks-anywhere', 'mcp.tasks-asks'],
    'a task of one gateway is read, answered and cancelled at the other',
    async () => {
      const task = await callForTask(atFirst(), 'slow__confirm_delete', { filename: 'x' });
      const asked = await taskThat(atOther(), task, 'input_required');
      const [key] = Object.keys(asked['inputRequests'] ?? {});
      await updateTask(atOther(), task, { [String(key)]: { action: 'accept', content: { confirm: true } } });
      const { result } = await taskThat(atOther(), task, 'completed');
      expect(JSON.stringify(result)).toContain('x is deleted');
      const cancelled = await endless('cancelled elsewhere');
      await cancelTask(atOther(), cancelled);
      expect(await readTask(atFirst(), cancelled)).toMatchObject({ status: 'cancelled' });
    },
  );

  keeps(
    ['mcp.tasks-anywhere'],
    'a result that is too long to be kept is read at the other gateway as long as the first one lives',
    async () => {
      const bytes = 2_000_000;
      const task = await callForTask(atFirst(), 'fix__big', { bytes, wait_ms: 1_500 });
      const { result } = await taskThat(atOther(), task, 'completed');
      expect(result).toMatchObject({ content: [{ text: 'x'.repeat(bytes) }] });
      const call = `/api/uar/calls/${String(task['taskId'])}`;
      expect((await atOther().get(call)).text).toContain('x'.repeat(bytes));
      await first.kill();
      expect(await readTask(atOther(), task)).toMatchObject({
        ...{ code: -32602, data: { reason: 'result_not_kept', 'io.uar/call': { outcome: 'completed' } } },
      });
      expect((await atOther().get(call)).body).toMatchObject({
        ...{ outcome: 'completed', result: null, error: { code: 'result_not_kept' } },
      });
      first = await startReplica(product, 'gateway');
      await toolListed(atFirst(), 'slow__multi_input');
    },
  );

  keeps(
    ['mcp.tasks-anywhere'],
    'kill -9 of the gateway of a task leaves a task that may have run',
    async () => {
      const task = await endless('dies');
      await first.kill();
      const failed = await taskThat(atOther(), task, 'failed');
      expect(failed['error']?.['data']?.['io.uar/call']).toMatchObject({
        outcome: 'transport_failure',
        effect: 'may_have_run',
      });
    },
  );
});
