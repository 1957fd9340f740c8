import type { HostCall } from '@uar/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until } from '../../http-spec/gateway.fixture.js';
import type { RawAnswer } from '../raw-client.fixture.js';
import {
  again,
  answered,
  asks,
  capabilities,
  keysOf,
  named,
  placeOf,
  ran,
  resultOf,
  roots,
  sampling,
  tool,
} from './inputs.fixture.js';
import { metaOf, revision, StatelessClient } from './stateless-client.fixture.js';

let gateway: Gateway;
let client: StatelessClient;
beforeEach(async () => {
  gateway = await Gateway.start();
  client = new StatelessClient(gateway, { capabilities });
});
afterEach(() => gateway.stop());

const errorOf = ({ messages }: RawAnswer) => messages.at(-1)?.['error']?.['code'];

describe('what an upstream asks during a stateless call', () => {
  it('is the interim answer, as it was asked, and is answered as the client wrote it', async () => {
    const { heard } = asks(gateway, [sampling, named('name')]);
    const first = await client.call(tool);
    expect(first.text).toContain('"params":{ "maxTokens":1e2 }');
    const asked = resultOf(first);
    const [ours = '', theirs] = keysOf(asked);
    expect([asked, theirs]).toEqual([
      {
        resultType: 'input_required',
        inputRequests: {
          [ours]: { method: 'sampling/createMessage', params: { maxTokens: 100 } },
          name: { method: 'elicitation/create', params: expect.objectContaining({ message: '?' }) },
        },
        requestState: expect.stringMatching(/^v1\./),
        _meta: {
          'io.uar/call': { call_id: expect.any(String), outcome: 'pending', effect: null },
          'io.modelcontextprotocol/serverInfo': expect.objectContaining({ name: 'uar' }),
        },
      },
      'name',
    ]);
    const done = await client.send(
      `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"${tool}","arguments":{},"requestState":"${asked['requestState']}",
        "inputResponses":{"${ours}":{"n":1.50, "model":"m"},"name":{"action":"accept"}},"_meta":${JSON.stringify(metaOf(capabilities))}}}`,
      { 'mcp-protocol-version': revision, 'mcp-method': 'tools/call', 'mcp-name': tool },
    );
    expect(done.text).toContain('"odd":1.50');
    expect(resultOf(done)).toMatchObject({
      resultType: 'complete',
      _meta: {
        'io.uar/call': { call_id: asked['_meta']?.['io.uar/call']?.['call_id'], outcome: 'completed' },
      },
    });
    expect(heard).toEqual([answered('{"n":1.50, "model":"m"}'), answered('{"action":"accept"}')]);
    await until(() => gateway.neighbours.outcomes.length === 1);
    expect([gateway.neighbours.calls.length, gateway.neighbours.outcomes]).toEqual([1, ['completed']]);
  });

  it('comes again where it was not answered, and in rounds', async () => {
    const { heard } = asks(gateway, [named('one'), named('other')], [named('one')]);
    const first = resultOf(await client.call(tool));
    const second = resultOf(await again(client, first, { one: { n: 1 }, unknown: {}, ask_x: {} }));
    expect(keysOf(second)).toEqual(['other']);
    const third = resultOf(await again(client, second, { other: { n: 2 } }));
    const [key = ''] = keysOf(third);
    expect(key).toMatch(/^ask_/);
    // The first round again: it was answered then, and what is open now is another question.
    const still = resultOf(await again(client, first, { one: { n: 1 }, [key]: { n: 1 } }));
    expect([keysOf(still), heard.length]).toEqual([[key], 2]);
    expect(new Set([first, second, third].map((each) => each['requestState'])).size).toBe(3);
    expect(resultOf(await again(client, still, { [key]: { n: 3 } }))).toMatchObject({
      resultType: 'complete',
    });
    expect(heard).toEqual(['{"n":1}', '{"n":2}', '{"n":3}'].map(answered));
  });

  it('is answered once by the same retry, and runs once', async () => {
    const { heard } = asks(gateway, [named('one')]);
    const asked = resultOf(await client.call(tool));
    const both = await Promise.all([
      again(client, asked, { one: { n: 1 } }),
      again(client, asked, { one: { n: 2 } }),
    ]);
    const outcomes = both.map((each) => resultOf(each)['_meta']?.['io.uar/call']?.['outcome']);
    expect([outcomes, both.some(({ text }) => text.includes('"odd":1.50'))]).toEqual([
      ['completed', 'completed'],
      true,
    ]);
    const late = resultOf(await again(client, asked, { one: { n: 3 } }));
    expect(late).toMatchObject({ isError: true, _meta: { 'io.uar/call': { outcome: 'completed' } } });
    await until(() => gateway.neighbours.outcomes.length > 0);
    expect([heard.length, gateway.neighbours.calls.length, gateway.neighbours.outcomes]).toEqual([
      1,
      1,
      ['completed'],
    ]);
  });

  it('is answered at once by whoever knew its name', async () => {
    const { heard } = asks(gateway, [named('one')]);
    const done = await client.call(tool, {}, { inputResponses: { one: { n: 1 }, other: {} } });
    expect([resultOf(done)['resultType'], heard]).toEqual(['complete', [answered('{"n":1}')]]);
  });

  it('is refused to who forges, borrows or bends the state, and to no avail', async () => {
    const { heard } = asks(gateway, [named('one')]);
    const asked = resultOf(await client.call(tool));
    const state = String(asked['requestState']);
    const responses = { one: {} };
    const eve = new StatelessClient(gateway, { capabilities, token: gateway.token('eve') });
    const codes = [
      ...(await Promise.all(
        ['', 'v1.', `${state}-TAMPERED`, state.toUpperCase(), 'y'.repeat(5_000)].map(async (requestState) =>
          errorOf(await again(client, { requestState }, responses)),
        ),
      )),
      errorOf(await again(eve, asked, responses)),
      errorOf(await again(client, asked, responses, { n: 1 })),
      errorOf(await client.call('srv__write', {}, { requestState: state, inputResponses: responses })),
      errorOf(await client.call(tool, {}, { requestState: 7 })),
      errorOf(await client.call(tool, [], { requestState: state })),
      ...(await Promise.all(
        [null, 'x', [], { one: 12_345 }, { one: null }, { one: [] }, { ['x'.repeat(129)]: {} }].map(
          async (inputResponses) =>
            errorOf(await client.call(tool, {}, { requestState: state, inputResponses })),
        ),
      )),
      errorOf(
        await again(client, asked, Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, {}]))),
      ),
    ];
    expect(new Set(codes)).toEqual(new Set([-32602]));
    expect([heard, gateway.neighbours.calls.length]).toEqual([[], 1]);
    expect(resultOf(await again(client, asked, responses))).toMatchObject({ resultType: 'complete' });
  });

  it('disappears when its upstream takes it back', async () => {
    const ask_id = '0f0e5a3e-3b5e-4ad0-9d3e-0d9c7c9a6c11';
    gateway.neighbours.run = async (call) => {
      const kept = gateway.neighbours.askClient({ ...placeOf(call), ...named('kept') });
      await gateway.neighbours.askClient({ ...placeOf(call), ...named('taken') }, { ask_id });
      await kept;
      return ran;
    };
    const asked = resultOf(await client.call(tool));
    expect(keysOf(asked)).toEqual(['kept', 'taken']);
    const { seat_id } = placeOf(gateway.neighbours.calls[0] as HostCall);
    await gateway.neighbours.withdrawAsk({ seat_id, ask_id });
    const next = resultOf(await again(client, asked, { taken: {} }));
    expect(keysOf(next)).toEqual(['kept']);
    expect(resultOf(await again(client, next, { kept: {} }))).toMatchObject({ resultType: 'complete' });
  });

  it('is gone for what its client does not declare any more', async () => {
    const { heard } = asks(gateway, [roots, sampling]);
    const asked = resultOf(await client.call(tool));
    const less = new StatelessClient(gateway, { capabilities: { roots: {} } });
    const next = resultOf(await again(less, asked, {}));
    expect(Object.values(next['inputRequests'] ?? {})).toMatchObject([{ method: 'roots/list' }]);
    const [key = ''] = keysOf(next);
    expect(resultOf(await again(less, next, { [key]: { roots: [] } }))).toMatchObject({
      resultType: 'complete',
    });
    expect(heard).toEqual([answered('{"roots":[]}'), { kind: 'gone' }]);
  });

  it('ends with the call that its client cancels when it is back', async () => {
    let isBack = false;
    gateway.neighbours.run = async (call) => {
      await gateway.neighbours.askClient({ ...placeOf(call), ...named('one') });
      isBack = true;
      await until(() => gateway.neighbours.cancelled.length === 1);
      return { kind: 'cancelled', dispatched: true };
    };
    const asked = resultOf(await client.call(tool));
    const params = { name: tool, arguments: {}, requestState: asked['requestState'] };
    const abort = client.abortable('tools/call', { ...params, inputResponses: { one: {} } });
    await until(() => isBack);
    abort();
    await until(() => gateway.neighbours.outcomes.at(-1) === 'cancelled_after_dispatch');
  });
});
