import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until } from '../http-spec/gateway.fixture.js';
import { Listening } from './listening.fixture.js';
import { RawClient } from './raw-client.fixture.js';

const callOf = (id: string | number, name = 'srv__echo', meta?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: { n: 1 }, ...(meta === undefined ? {} : { _meta: meta }) },
});

describe('streams of a session', () => {
  let gateway: Gateway;
  let release: () => void;
  beforeEach(async () => {
    gateway = await Gateway.start();
  });
  afterEach(async () => {
    release();
    await gateway.stop();
  });

  /** Calls from now on end when `release` is called. */
  function hold(): void {
    const held = new Promise<void>((resolve) => (release = resolve));
    gateway.neighbours.run = async () => {
      await held;
      return { kind: 'ran', result_json: '{"content":[]}', is_error: false };
    };
  }
  beforeEach(() => hold());

  it('begin with an event without data for clients of 2025-11-25, also before the answer is there', async () => {
    const client = await RawClient.open(gateway);
    const listening = await Listening.open(client, { method: 'POST', message: callOf(7) });
    await until(() => listening.events.length === 1);
    expect(listening.events[0]).toEqual({ id: expect.stringMatching(/^\d+\.0$/), retry: '1000', data: '' });
    release();
    expect(await listening.said(1)).toMatchObject([{ id: 7, result: {} }]);
    await until(() => listening.isOver);
    expect(listening.events.map(({ id }) => id)).toEqual([
      expect.stringMatching(/^(\d+)\.0$/),
      expect.stringMatching(/^(\d+)\.1$/),
    ]);
    const quick = await client.request('ping');
    expect(quick.events.map(({ data }) => data === '')).toEqual([true, false]);
    expect(quick.headers.get('content-length')).not.toBeNull();
  });

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'])(
    'hold nothing but messages for %s',
    async (revision) => {
      const client = await RawClient.open(gateway, { revision });
      const { events } = await client.request('ping');
      expect(events).toEqual([{ id: expect.any(String), event: 'message', data: expect.any(String) }]);
    },
  );

  it('give an id to each event that is unique in the session and names the stream', async () => {
    const client = await RawClient.open(gateway);
    release();
    const answers = await Promise.all([client.call('srv__echo', {}, 1), client.call('srv__echo', {}, 2)]);
    const ids = answers.flatMap(({ events }) => events.map(({ id = '' }) => id));
    expect(new Set(ids).size).toBe(4);
    expect(new Set(ids.map((id) => id.split('.')[0])).size).toBe(2);
  });

  it('are gone on with by the last id, with what was missed and nothing of other streams', async () => {
    const client = await RawClient.open(gateway);
    const lost = await Listening.open(client, {
      method: 'POST',
      message: callOf('lost', 'srv__echo', { progressToken: 1 }),
    });
    const other = await Listening.open(client, { method: 'POST', message: callOf('other') });
    await until(() => lost.events.length === 1 && gateway.neighbours.calls.length === 2);
    const [call] = gateway.neighbours.calls;
    if (call === undefined) throw new Error('there is no call');
    gateway.neighbours.progress(call.call_id, { progress: 1 });
    await lost.said(1);
    const { lastId } = lost;
    lost.close();
    gateway.neighbours.progress(call.call_id, { progress: 2 });
    release();
    await other.said(1);
    const resumed = await Listening.open(client, { headers: { 'last-event-id': lastId } });
    expect(resumed.response.status).toBe(200);
    await until(() => resumed.isOver);
    expect(resumed.messages).toMatchObject([{ params: { progress: 2 } }, { id: 'lost', result: {} }]);
    expect(resumed.events.map(({ id }) => id)).toEqual([2, 3].map((seq) => lastId.replace(/\d+$/, `${seq}`)));
  });

  it('are gone on with before the answer is there, by the event without data too', async () => {
    const client = await RawClient.open(gateway);
    const lost = await Listening.open(client, { method: 'POST', message: callOf(1) });
    await until(() => lost.events.length === 1);
    lost.close();
    const again = await Listening.open(client, { headers: { 'last-event-id': lost.lastId } });
    const newer = await Listening.open(client, { headers: { 'last-event-id': lost.lastId } });
    await until(() => again.isOver);
    release();
    expect(await newer.said(1)).toMatchObject([{ id: 1, result: {} }]);
    expect(again.messages).toEqual([]);
  });

  it('are not gone on with by ids that are none, of others, or of what is over', async () => {
    const client = await RawClient.open(gateway);
    const stranger = await RawClient.open(gateway, { token: gateway.token('eve') });
    release();
    const { events } = await client.call('srv__echo');
    const [first, last] = events.map(({ id = '' }) => id);
    const resume = async (by: RawClient, id: string) =>
      (await by.send('GET', { 'last-event-id': id })).status;
    for (const id of ['x', '99.0', '1', '-1.0', '1.99999999999999', `${last}0`, last ?? ''])
      expect([id, await resume(client, id)]).toEqual([id, 400]);
    expect(await resume(stranger, first ?? '')).not.toBe(200);
    expect(await resume(client, first ?? '')).toBe(200);
  });

  it('keep what the standing stream missed', async () => {
    const client = await RawClient.open(gateway);
    const standing = await Listening.open(client);
    await until(() => standing.events.length === 1);
    expect((await client.send('GET')).status).toBe(409);
    const witness = await Listening.open(await RawClient.open(gateway));
    standing.close();
    gateway.neighbours.policiesChanged();
    await witness.said(1);
    witness.close();
    const resumed = await Listening.open(client, { headers: { 'last-event-id': standing.lastId } });
    expect(await resumed.said(1)).toMatchObject([{ method: 'notifications/tools/list_changed' }]);
    resumed.close();
  });

  it('take batches in 2025-03-26 alone, each message an answer of its own', async () => {
    release();
    const client = await RawClient.open(gateway, { revision: '2025-03-26' });
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const batch = [callOf(0), note, callOf('b', 'srv__nothing'), { jsonrpc: '2.0', id: 2, method: 'ping' }];
    const { status, messages } = await client.post(batch);
    expect([status, messages.map(({ id }) => id).sort()]).toEqual([200, [0, 2, 'b']]);
    expect((await client.post([note])).status).toBe(202);
    expect((await client.post([callOf(1), callOf(1)])).status).toBe(400);
    expect((await client.post([callOf(1)], { 'mcp-protocol-version': '2025-06-18' })).status).toBe(400);
    for (const revision of ['2024-11-05', '2025-06-18', '2025-11-25']) {
      const later = await RawClient.open(gateway, { revision });
      expect((await later.post([callOf(1)])).status).toBe(400);
      expect((await later.post([callOf(1)], { 'mcp-protocol-version': '2025-03-26' })).status).toBe(400);
    }
  });
});
