import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until } from '../../http-spec/gateway.fixture.js';
import { asking, askedOn, calling, gone, sampling, seatOf } from './asking.fixture.js';
import { Listening } from '../listening.fixture.js';
import type { RawClient } from '../raw-client.fixture.js';

describe('what an upstream asks of a client', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await Gateway.start();
  });
  afterEach(() => gateway.stop());

  const settle = (client: RawClient) => client.request('ping', {}, 'settle');

  it('comes on the stream of the call, and is answered as the client answers', async () => {
    const one = await asking(gateway);
    const answer = gateway.neighbours.askClient(sampling(one, '{ "maxTokens":1e2, "x":9007199254740993 }'));
    const id = await askedOn(one.stream);
    expect(one.stream.text).toContain('"params":{ "maxTokens":1e2, "x":9007199254740993 }');
    await one.client.post(`{"jsonrpc":"2.0","id":"${id}","result":{"n":1.50, "model":"m"}}`);
    const value = { kind: 'answered', result_json: '{"n":1.50, "model":"m"}' };
    expect(await answer).toEqual({ kind: 'answered', value });
    one.release();
    await until(() => one.stream.isOver);
    expect(one.stream.messages.map(({ method, id: of }) => method ?? of)).toEqual([
      'sampling/createMessage',
      'call',
    ]);
  });

  it('fails as the client says, with its data', async () => {
    const one = await asking(gateway);
    const ask = { ...sampling(one), method: 'roots/list', params_json: '{}' } as const;
    const answer = gateway.neighbours.askClient(ask);
    const id = await askedOn(one.stream, 'roots/list');
    await one.client.post(`{"jsonrpc":"2.0","id":"${id}","error":{"code":-1,"message":"no","data":[1.0]}}`);
    expect(await answer).toMatchObject({
      value: { kind: 'failed', code: -1, message: 'no', data_json: '[1.0]' },
    });
    one.release();
  });

  it('comes on the standing stream where it belongs to no call, and nowhere without one', async () => {
    const one = await asking(gateway);
    const { seat_id, method, params_json } = sampling(one);
    expect(await gateway.neighbours.askClient({ seat_id, method, params_json })).toEqual(gone);
    const standing = await Listening.open(one.client);
    const answer = gateway.neighbours.askClient({ seat_id, method, params_json });
    await one.client.post({ jsonrpc: '2.0', id: await askedOn(standing), result: {} });
    expect(await answer).toMatchObject({ value: { kind: 'answered', result_json: '{}' } });
    expect(one.stream.messages).toEqual([]);
    one.release();
    standing.close();
  });

  it.each([
    ['of the same principal', 'ada'],
    ['of another principal', 'eve'],
  ])('never reaches another session %s, and is not answered by it', async (_, subject) => {
    const [one, other] = [
      await asking(gateway),
      await asking(gateway, { token: gateway.token(subject) }),
    ] as const;
    const standing = await Listening.open(other.client);
    expect(seatOf(one.call).id).not.toBe(seatOf(other.call).id);
    const answer = gateway.neighbours.askClient(sampling(one));
    const id = await askedOn(one.stream);
    await other.client.post({ jsonrpc: '2.0', id, result: { from: 'the other' } });
    // The call of one session under the seat of another belongs to neither.
    const { seat_id } = sampling(other);
    expect(await gateway.neighbours.askClient({ ...sampling(one), seat_id })).toEqual(gone);
    await one.client.post({ jsonrpc: '2.0', id, result: { from: 'the one' } });
    expect(await answer).toMatchObject({ value: { result_json: '{"from":"the one"}' } });
    expect([other.stream.messages, standing.heard]).toEqual([[], []]);
    for (const each of [one, other]) each.release();
    standing.close();
  });

  it('is gone with the call, and the client is told', async () => {
    const one = await asking(gateway);
    const standing = await Listening.open(one.client);
    const answer = gateway.neighbours.askClient(sampling(one));
    const id = await askedOn(one.stream);
    one.release();
    expect(await answer).toEqual(gone);
    await until(() => one.stream.isOver);
    expect(one.stream.messages[1]).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: id },
    });
    expect(await gateway.neighbours.askClient(sampling(one))).toEqual(gone);
    expect(standing.heard).toEqual([]);
    standing.close();
  });

  it('is gone when the client cancels the call or ends the session', async () => {
    const one = await asking(gateway);
    const standing = await Listening.open(one.client);
    const cancelled = gateway.neighbours.askClient(sampling(one));
    const id = await askedOn(one.stream);
    const params = { requestId: 'call' };
    await one.client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    expect(await cancelled).toEqual(gone);
    await until(() => [...one.stream.messages, ...standing.heard].some((it) => it['id'] === undefined));
    expect([...one.stream.messages, ...standing.heard].at(-1)).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: id },
    });
    one.release();
    const again = await calling(one.client);
    const ended = gateway.neighbours.askClient(sampling(again));
    await askedOn(again.stream);
    await one.client.send('DELETE');
    expect(await ended).toEqual(gone);
    again.release();
    expect(await gateway.neighbours.askClient(sampling(again))).toEqual(gone);
  });

  it('is gone when whoever asked waits no more', async () => {
    const one = await asking(gateway);
    await gateway.neighbours.askClient(sampling(one), { deadlineMs: 50 });
    await until(() => one.stream.messages.some((it) => it['method'] === 'notifications/cancelled'));
    one.release();
  });

  it('is taken back by whoever asked: the client is told at once, and its place is free again', async () => {
    const one = await asking(gateway);
    const { seat_id } = sampling(one);
    const ids = Array.from({ length: 100 }, () => randomUUID());
    const answers = ids.map((ask_id) => gateway.neighbours.askClient(sampling(one), { ask_id }));
    const asked = await one.stream.said(100);
    expect(await gateway.neighbours.askClient(sampling(one))).toMatchObject({ value: { kind: 'failed' } });
    const [ask_id = ''] = ids;
    const found = async (seat: string) => gateway.neighbours.withdrawAsk({ seat_id: seat, ask_id });
    expect(await found('another')).toMatchObject({ value: { found: false } });
    expect(await found(seat_id)).toMatchObject({ value: { found: true } });
    expect(await answers[0]).toEqual(gone);
    const told = (await one.stream.said(101)).at(-1);
    expect(told).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: asked[0]?.['id'] },
    });
    expect(await found(seat_id)).toMatchObject({ value: { found: false } });
    const next = gateway.neighbours.askClient(sampling(one));
    await one.client.post({ jsonrpc: '2.0', id: (await one.stream.said(102)).at(-1)?.['id'], result: {} });
    expect(await next).toMatchObject({ value: { kind: 'answered' } });
    one.release();
    await Promise.all(answers);
  });

  it.each([
    [{ sampling: {} }, '2025-11-25', { sampling: {} }],
    [{ roots: { listChanged: true }, tasks: {} }, '2024-11-05', { roots: {} }],
    [{ elicitation: { url: {} }, sampling: {} }, '2025-03-26', { sampling: {} }],
    [{ elicitation: { url: {}, form: {} } }, '2025-06-18', { elicitation: {} }],
    [
      { elicitation: { url: {}, form: { applyDefaults: true } } },
      '2025-11-25',
      { elicitation: { url: {}, form: {} } },
    ],
    [{ sampling: { tools: {}, x: 1 }, roots: 7 }, '2025-11-25', { sampling: { tools: {} } }],
  ])('is declared as the client did: %j in %s', async (capabilities, revision, declared) => {
    const one = await asking(gateway, { capabilities, revision });
    if (revision !== '2025-11-25') await one.stream.said(1);
    const { id, gateway: instance, capabilities_json } = seatOf(one.call);
    expect([JSON.parse(capabilities_json), instance]).toEqual([
      declared,
      gateway.neighbours.gatewayBus.instance,
    ]);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(id).not.toContain(one.client.session);
    for (const [method, params, isTaken] of [
      ['sampling/createMessage', {}, 'sampling' in declared],
      ['roots/list', {}, 'roots' in declared],
      ['elicitation/create', { mode: 'form' }, 'elicitation' in declared],
      ['elicitation/create', {}, 'elicitation' in declared],
      ['elicitation/create', { mode: 'url' }, capabilities_json.includes('url')],
      ['elicitation/create', { mode: 'other' }, false],
    ] as const) {
      const before = one.stream.messages.length;
      const params_json = JSON.stringify(params);
      const reply = gateway.neighbours.askClient({ ...sampling(one), method, params_json });
      if (isTaken) {
        const [asked] = (await one.stream.said(before + 1)).slice(before);
        await one.client.post({ jsonrpc: '2.0', id: asked?.['id'], result: {} });
      }
      const value = isTaken ? { kind: 'answered', result_json: '{}' } : { kind: 'gone' };
      expect([method, params, await reply]).toEqual([method, params, { kind: 'answered', value }]);
    }
    one.release();
  });

  it('is nothing for clients that declared nothing: they share the seat of their principal', async () => {
    const one = await asking(gateway, { capabilities: { experimental: {} } });
    expect(seatOf(one.call)).toMatchObject({ id: '', capabilities_json: '{}' });
    expect(await gateway.neighbours.askClient(sampling(one))).toEqual(gone);
    one.release();
    expect((await settle(one.client)).messages).toHaveLength(1);
  });
});
