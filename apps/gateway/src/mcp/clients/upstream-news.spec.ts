import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until } from '../../http-spec/gateway.fixture.js';
import { type Asking, asking, calling, seatOf } from './asking.fixture.js';
import { Listening } from '../listening.fixture.js';
import { RawClient } from '../raw-client.fixture.js';

describe('what an upstream notifies a client of', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await Gateway.start();
  });
  afterEach(() => gateway.stop());

  const messageOf = (level: string) => `{"level":"${level}","logger":"l","data":{ "n":1.0 }}`;
  const log = ({ call }: Asking, level: string, isOfCall = true): void => {
    const { id, gateway: instance } = seatOf(call);
    gateway.neighbours.notify({
      seat: { id, gateway: instance },
      ...(isOfCall && { call_id: call.call_id }),
      method: 'notifications/message',
      params_json: messageOf(level),
    });
  };
  const methods = (stream: Listening) => stream.heard.map(({ method, id }) => method ?? id);

  it('comes as it was sent, on the stream of the call or else the standing one, before the result', async () => {
    const one = await asking(gateway);
    const standing = await Listening.open(one.client);
    log(one, 'info');
    log(one, 'debug', false);
    one.release();
    await until(() => one.stream.isOver);
    expect(one.stream.text).toContain(`"params":${messageOf('info')}`);
    expect(methods(one.stream)).toEqual(['notifications/message', 'call']);
    expect(await standing.hears(1)).toMatchObject([{ params: { level: 'debug' } }]);
    standing.close();
  });

  it('reaches no other session, of whichever principal, and no client of another gateway', async () => {
    const one = await asking(gateway);
    const others = await Promise.all(
      ['ada', 'eve'].map((subject) => RawClient.open(gateway, { token: gateway.token(subject) })),
    );
    const streams = await Promise.all(others.map((client) => Listening.open(client)));
    log(one, 'info', false);
    const params_json = messageOf('info');
    const elsewhere = { id: '', gateway: gateway.neighbours.instance };
    const here = { ...elsewhere, gateway: seatOf(one.call).gateway };
    for (const news of [{ seat: elsewhere }, { seat: here }, {}])
      gateway.neighbours.notify({ ...news, method: 'notifications/message', params_json });
    log(one, 'error');
    await one.stream.said(1);
    expect(one.stream.messages).toMatchObject([{ params: { level: 'error' } }]);
    expect(streams.map(methods)).toEqual([[], []]);
    one.release();
    for (const stream of streams) stream.close();
  });

  it('of a shared seat is for the client whose call it came during', async () => {
    const [one, other] = [
      await asking(gateway, { capabilities: {} }),
      await asking(gateway, { capabilities: {} }),
    ] as const;
    log(one, 'info');
    await one.stream.said(1);
    expect([methods(one.stream), methods(other.stream)]).toEqual([['notifications/message'], []]);
    for (const each of [one, other]) each.release();
  });

  it('below the level that the client set is dropped, and the level goes out with what it calls', async () => {
    const client = await RawClient.open(gateway, { capabilities: { sampling: {} } });
    for (const params of [{}, { level: 'loud' }, { level: 1 }, { level: 'info', _meta: [] }])
      expect((await client.request('logging/setLevel', params)).messages).toMatchObject([
        { error: { code: -32602 } },
      ]);
    expect((await client.request('logging/setLevel', { level: 'warning' })).messages).toMatchObject([
      { result: {} },
    ]);
    const one = await calling(client);
    expect(seatOf(one.call).log_level).toBe('warning');
    for (const level of ['debug', 'notice', 'unheard-of', 'warning', 'emergency']) log(one, level);
    await one.stream.said(2);
    expect(one.stream.messages).toMatchObject([
      { params: { level: 'warning' } },
      { params: { level: 'emergency' } },
    ]);
    one.release();
  });

  it('is the end of an elicitation, for the client that was sent there', async () => {
    const one = await asking(gateway);
    const other = await asking(gateway);
    const { id, gateway: instance } = seatOf(one.call);
    gateway.neighbours.notify({
      ...{ seat: { id, gateway: instance }, call_id: one.call.call_id },
      ...{ method: 'notifications/elicitation/complete', params_json: '{"elicitationId":"e"}' },
    });
    gateway.neighbours.notify({
      ...{ seat: { id, gateway: instance }, method: 'notifications/made-up', params_json: '{}' },
    });
    expect(await one.stream.said(1)).toMatchObject([{ params: { elicitationId: 'e' } }]);
    for (const each of [one, other]) each.release();
    await until(() => one.stream.isOver && other.stream.isOver);
    expect([methods(one.stream), methods(other.stream)]).toEqual([
      ['notifications/elicitation/complete', 'call'],
      ['call'],
    ]);
  });
});
