import type { HostCall } from '@uar/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway } from '../../http-spec/gateway.fixture.js';
import { again, asks, capabilities, named, placeOf, ran, resultOf, roots, tool } from './inputs.fixture.js';
import { StatelessClient } from './stateless-client.fixture.js';

let gateway: Gateway;
let client: StatelessClient;
beforeEach(async () => {
  gateway = await Gateway.start();
  client = new StatelessClient(gateway, { capabilities });
});
afterEach(() => gateway.stop());

describe('the seat of a stateless call', () => {
  const seats = () => gateway.neighbours.calls.map(({ seat }) => seat);

  it("declares what its request declares, is nobody else's meanwhile, and is used again", async () => {
    asks(gateway, [named('one')]);
    const [one, other] = [resultOf(await client.call(tool)), resultOf(await client.call(tool))];
    expect(seats().map((seat) => JSON.parse(seat?.capabilities_json ?? ''))).toEqual([
      { sampling: {}, elicitation: {}, roots: {} },
      { sampling: {}, elicitation: {}, roots: {} },
    ]);
    await again(client, one, { one: {} });
    await again(client, other, { one: {} });
    const [first, second, third] = [...seats(), await client.call(tool).then(() => seats()[2])];
    expect([first?.id === second?.id, [first?.id, second?.id].includes(third?.id)]).toEqual([false, true]);
    const eve = new StatelessClient(gateway, { capabilities, token: gateway.token('eve') });
    await eve.call(tool);
    await new StatelessClient(gateway, { capabilities: { sampling: {} } }).call(tool);
    expect(new Set(seats().map((seat) => seat?.id)).size).toBe(4);
  });

  it('is that of its principal where it declares nothing, and asks nobody', async () => {
    const { heard } = asks(gateway, [roots]);
    await new StatelessClient(gateway).call(tool);
    expect([seats()[0], heard]).toEqual([undefined, [{ kind: 'gone' }]]);
  });

  it('is asked in the name of its own call alone', async () => {
    asks(gateway, [named('one')]);
    await client.call(tool);
    const [call] = gateway.neighbours.calls;
    const { seat_id } = placeOf(call as HostCall);
    const foreign = { seat_id, call_id: `call_${'0'.repeat(32)}` as HostCall['call_id'], ...roots };
    expect(await gateway.neighbours.askClient(foreign)).toMatchObject({ value: { kind: 'gone' } });
  });
});

it('says what a client has to declare where an upstream failed for want of it', async () => {
  gateway.neighbours.run = () => ({
    kind: 'upstream_error',
    code: -32601,
    message: 'no',
    lacking: ['sampling'],
  });
  const { status, messages } = await client.call(tool, {}, {}, { id: 7 });
  expect([status, messages.at(-1)]).toMatchObject([
    400,
    { id: 7, error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } } },
  ]);
});

it('passes log messages of the call on its stream, of the level that its request names', async () => {
  const said: string[] = [];
  gateway.neighbours.run = async (call) => {
    for (const level of ['info', 'error']) {
      const params_json = `{"level":"${level}","data":1.50}`;
      const of = { id: call.seat?.id ?? '', gateway: gateway.neighbours.gatewayBus.instance };
      for (const call_id of [call.call_id, `call_${'0'.repeat(32)}` as typeof call.call_id])
        gateway.neighbours.notify({ method: 'notifications/message', params_json, call_id, seat: of });
    }
    await gateway.neighbours.gatewayBus.flush();
    return ran;
  };
  for (const level of [undefined, 'warning', 'debug']) {
    const meta = level === undefined ? {} : { 'io.modelcontextprotocol/logLevel': level };
    const { text, messages } = await client.call(tool, {}, {}, { meta });
    said.push(
      messages.map(({ method, params }) => (method === undefined ? '' : params?.['level'])).join(' '),
    );
    if (level !== undefined) expect(text).toContain('"data":1.50');
  }
  expect(said).toEqual(['', 'error ', 'info error ']);
  expect(gateway.neighbours.calls.map(({ seat }) => seat?.log_level)).toEqual([
    undefined,
    'warning',
    'debug',
  ]);
  const meta = { 'io.modelcontextprotocol/logLevel': 'loud' };
  expect((await client.call(tool, {}, {}, { meta })).status).toBe(400);
});
