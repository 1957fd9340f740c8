import { afterEach, beforeEach, expect, it } from 'vitest';
import { Gateway, until } from '../../http-spec/gateway.fixture.js';
import { decided, oneHuman } from '../../http-spec/neighbours.fixture.js';
import type { Message, RawAnswer } from '../raw-client.fixture.js';
import { again as answering, capabilities, keysOf, named, placeOf, roots } from './inputs.fixture.js';
import { StatelessClient } from './stateless-client.fixture.js';

const options = { capabilities: { elicitation: { url: {} } } };
const tool = 'srv__write';
let gateway: Gateway;
let other: Gateway;
beforeEach(async () => {
  gateway = await Gateway.start();
  gateway.neighbours.decide = oneHuman;
  other = await gateway.replica();
});
afterEach(async () => {
  await other.running.stop();
  await gateway.stop();
});

const resultOf = ({ messages }: RawAnswer): Message => messages.at(-1)?.['result'] ?? {};
const vote = (result: Message, decision: 'approve' | 'reject') =>
  gateway.ask('POST', `/api/uar/approvals/${Object.keys(result['inputRequests'] ?? {})[0]}/decision`, {
    body: { decision },
    token: gateway.token('bob'),
  });
const asked = async (at: Gateway): Promise<Message> =>
  resultOf(await new StatelessClient(at, options).call(tool, { n: 1 }));
const again = (at: Gateway, result: Message, meta: object = {}): Promise<RawAnswer> =>
  new StatelessClient(at, options).call(tool, { n: 1 }, { requestState: result['requestState'] }, { meta });

it('takes its caller back at any gateway, and runs the call once', async () => {
  gateway.neighbours.run = ({ call_id }) => {
    gateway.neighbours.progress(call_id, { progress: 1 });
    return { kind: 'ran', result_json: '{"content":[],"odd":1.50}', is_error: false };
  };
  const result = await asked(gateway);
  const waiting = again(other, result, { progressToken: 'p' });
  await until(async () => (await vote(result, 'approve')).status === 200);
  const answer = await waiting;
  expect(answer.text).toContain('"odd":1.50');
  expect(answer.messages).toMatchObject([
    { method: 'notifications/progress', params: { progress: 1, progressToken: 'p' } },
    {
      result: {
        resultType: 'complete',
        _meta: {
          'io.uar/call': {
            outcome: 'completed',
            call_id: result['_meta']?.['io.uar/call']?.['call_id'],
            receipt: { seq: expect.any(Number) as number },
          },
        },
      },
    },
  ]);
  expect([gateway.neighbours.calls.length, gateway.neighbours.records.size]).toEqual([1, 1]);
  expect(resultOf(await again(other, result))).toMatchObject({ isError: true });
  expect(gateway.neighbours.calls.length).toBe(1);
});

it('hears elsewhere that it was rejected', async () => {
  const result = await asked(other);
  await vote(result, 'reject');
  expect(resultOf(await again(gateway, result))['_meta']?.['io.uar/call']).toMatchObject({
    outcome: 'approval_rejected',
  });
});

it('is found again by the state that another gateway gave while nobody had decided', async () => {
  await other.running.stop();
  await gateway.stop();
  gateway = await Gateway.start({ approvals: { mcp_wait_seconds: 1 } });
  gateway.neighbours.decide = oneHuman;
  other = await gateway.replica();
  const pending = resultOf(await again(gateway, await asked(other)));
  expect(pending).toMatchObject({ resultType: 'input_required' });
  await vote(pending, 'approve');
  expect(resultOf(await again(gateway, pending))).toMatchObject({
    _meta: { 'io.uar/call': { outcome: 'completed' } },
  });
});

it('is cancelled by whoever closes the stream at another gateway', async () => {
  const result = await asked(gateway);
  const params = { name: tool, arguments: { n: 1 }, requestState: result['requestState'] };
  const abort = new StatelessClient(other, options).abortable('tools/call', params);
  // Only a stream that has begun can be closed.
  await new Promise((resolve) => setTimeout(resolve, 300));
  abort();
  await until(() => gateway.neighbours.outcomes.at(-1) === 'cancelled');
  expect(gateway.neighbours.calls).toEqual([]);
});

it('is gone with the gateway that held it', async () => {
  const result = await asked(other);
  await vote(result, 'approve');
  await other.running.stop();
  const { messages } = await again(gateway, result);
  expect(messages).toMatchObject([{ error: { code: -32602 } }]);
  expect(gateway.neighbours.calls).toEqual([]);
  other = await gateway.replica();
});

it('answers at any gateway what the upstream asks, in rounds, and hears there what it says meanwhile', async () => {
  const { neighbours } = gateway;
  const heard: unknown[] = [];
  neighbours.decide = () => ({ kind: 'allow', ...decided, grant: 'grant' });
  neighbours.run = async (call) => {
    heard.push(await neighbours.askClient({ ...placeOf(call), ...named('one') }));
    const seat = { id: call.seat?.id ?? '', gateway: neighbours.gatewayBus.instance };
    const params_json = '{"level":"error","data":1.50}';
    const { call_id } = call;
    neighbours.notify({ method: 'notifications/message', params_json, call_id, seat });
    heard.push(await neighbours.askClient({ ...placeOf(call), ...roots }));
    return { kind: 'upstream_error', code: -1, message: 'no', lacking: ['sampling'] };
  };
  const at = (each: Gateway) => new StatelessClient(each, { capabilities });
  const first = resultOf(await at(gateway).call('srv__echo'));
  const meta = { 'io.modelcontextprotocol/logLevel': 'error' };
  const more = { requestState: first['requestState'], inputResponses: { one: { n: 1 } } };
  const answer = await at(other).call('srv__echo', {}, more, { meta });
  expect(answer.text).toContain('"data":1.50');
  const second = resultOf(answer);
  const [key = ''] = keysOf(second);
  expect(second['inputRequests']).toEqual({ [key]: { method: 'roots/list', params: {} } });
  // A second time, and by somebody else: neither answers anything.
  const eve = new StatelessClient(other, { capabilities, token: gateway.token('eve') });
  const refused = await answering(eve, second, { [key]: { roots: [] } });
  expect(refused.messages).toMatchObject([{ error: { code: -32602 } }]);
  expect(keysOf(resultOf(await answering(at(other), first, { one: { n: 2 } })))).toEqual([key]);
  const { status, messages } = await answering(at(other), second, { [key]: { roots: [] } });
  expect([status, messages.at(-1)?.['error']]).toMatchObject([
    400,
    { code: -32021, data: { requiredCapabilities: { sampling: {} } } },
  ]);
  const values = ['{"n":1}', '{"roots":[]}'].map((result_json) => ({ kind: 'answered', result_json }));
  expect(heard).toMatchObject(values.map((value) => ({ value })));
  expect(neighbours.calls.length).toBe(1);
});
