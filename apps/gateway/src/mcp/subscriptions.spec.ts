import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until } from '../http-spec/gateway.fixture.js';
import { Listening } from './listening.fixture.js';
import { RawClient, type RawOptions } from './raw-client.fixture.js';

interface Subscriber {
  readonly client: RawClient;
  readonly standing: Listening;
}

describe('what changes at an upstream', () => {
  let gateway: Gateway;
  let open: Subscriber[];
  beforeEach(async () => {
    open = [];
    gateway = await Gateway.start();
    gateway.neighbours.items.run = () => ({ kind: 'ran', result_json: '{}', is_error: false });
  });
  afterEach(async () => {
    for (const { standing } of open) standing.close();
    await gateway.stop();
  });

  async function subscriber(uri?: string, options: RawOptions = {}): Promise<Subscriber> {
    const client = await RawClient.open(gateway, options);
    const one = { client, standing: await Listening.open(client) };
    open.push(one);
    if (uri !== undefined) {
      const { messages } = await client.request('resources/subscribe', { uri });
      expect(messages).toMatchObject([{ result: {} }]);
    }
    return one;
  }
  const updated = (uri: string, seatId?: string, by = 'ada'): void =>
    gateway.neighbours.notify({
      ...(seatId !== undefined && {
        seat: {
          ...{ id: seatId, gateway: gateway.neighbours.gatewayBus.instance },
          principal: `User::"default/${by}"`,
        },
      }),
      ...{ method: 'notifications/resources/updated', params_json: JSON.stringify({ uri, title: 't' }) },
    });
  const changed = (list: string, server = 'srv'): void =>
    gateway.neighbours.notify({ method: `notifications/${list}/list_changed`, params_json: '{}', server });
  const urisOf = ({ standing }: Subscriber) =>
    standing.heard.map((message) => Object(message['params'])['uri']);

  it('is told to whoever subscribed, by the URI that it used, and to nobody else', async () => {
    const [unique, raw, own, other, none] = await Promise.all([
      subscriber('uar+srv+test://one'),
      subscriber('test://one'),
      subscriber('test://one', { path: '/mcp/servers/srv', token: gateway.token('eve') }),
      subscriber('test://other'),
      subscriber(),
    ]);
    updated('test://one');
    updated('test://other');
    await Promise.all([unique, raw, own, other].map(({ standing }) => standing.hears(1)));
    expect([unique, raw, own, other, none].map((it) => it && urisOf(it))).toEqual([
      ['uar+srv+test://one'],
      ['test://one'],
      ['test://one'],
      ['test://other'],
      [],
    ]);
    expect(unique?.standing.heard[0]).toMatchObject({ params: { title: 't' } });
  });

  it('is told to nobody who may not read it any more', async () => {
    const one = await subscriber('test://one');
    const witness = await subscriber('test://one', { token: gateway.token('eve') });
    updated('test://one');
    await Promise.all([one, witness].map(({ standing }) => standing.hears(1)));
    gateway.neighbours.may = (question, { principal }) =>
      question.kind !== 'item' || principal.subject === 'eve';
    gateway.neighbours.policiesChanged();
    updated('test://one');
    await witness.standing.hears(2);
    expect(urisOf(one)).toEqual(['test://one']);
  });

  it('is told no more after the subscription has ended, nor by what shows another upstream', async () => {
    const one = await subscriber('test://one');
    const witness = await subscriber('test://one');
    await one.client.request('resources/unsubscribe', { uri: 'test://one' });
    updated('test://one');
    gateway.neighbours.notify({
      ...{ server: 'other', method: 'notifications/resources/updated' },
      params_json: '{"uri":"test://one"}',
    });
    updated('test://one');
    await witness.standing.hears(2);
    expect([urisOf(one), urisOf(witness)]).toEqual([[], ['test://one', 'test://one']]);
  });

  it('on a session of its own is for its client alone, whatever part it is about', async () => {
    const capabilities = { roots: {} };
    const one = await subscriber('test://one', { capabilities });
    const other = await subscriber('test://one', { capabilities });
    const [seat] = gateway.neighbours.items.requests.map((request) => request.seat?.id);
    updated('test://one/other', seat, 'eve');
    updated('test://one/part', seat);
    updated('test://one', seat);
    await one.standing.hears(2);
    expect(urisOf(one).toSorted()).toEqual(['test://one', 'uar+srv+test://one/part']);
    expect(urisOf(other)).toEqual([]);
  });

  it('on a session that clients of a principal share is for those of them that subscribed', async () => {
    const one = await subscriber('test://one');
    const other = await subscriber('test://two');
    const eve = await subscriber('test://one', { token: gateway.token('eve') });
    updated('test://one', '');
    updated('test://one', '', 'eve');
    updated('test://two', '');
    await Promise.all([one, other, eve].map(({ standing }) => standing.hears(1)));
    updated('test://one', '');
    await one.standing.hears(2);
    expect([one, other, eve].map(urisOf)).toEqual([
      ['test://one', 'test://one'],
      ['test://two'],
      ['test://one'],
    ]);
  });

  it('ends at the upstream when the session ends', async () => {
    const one = await subscriber('test://one');
    await one.client.send('DELETE');
    const { requests } = gateway.neighbours.items;
    await until(() => requests.length === 2);
    expect(requests.map(({ method, item_id }) => [method, item_id])).toEqual([
      ['resources/subscribe', 'test://one'],
      ['resources/unsubscribe', 'test://one'],
    ]);
  });

  it('in its lists is told once for a burst, where the upstream is shown', async () => {
    const [whole, own] = [await subscriber(), await subscriber(undefined, { path: '/mcp/servers/srv' })];
    for (let round = 0; round < 3; round += 1) for (const list of ['resources', 'prompts']) changed(list);
    changed('resources', 'other');
    await Promise.all([whole, own].map(({ standing }) => standing.hears(2)));
    changed('prompts', 'other');
    await whole.standing.hears(3);
    expect(own.standing.heard).toEqual([
      { jsonrpc: '2.0', method: 'notifications/resources/list_changed' },
      { jsonrpc: '2.0', method: 'notifications/prompts/list_changed' },
    ]);
  });

  it('in its lists is told to a client that listens later', async () => {
    const client = await RawClient.open(gateway);
    const witness = await subscriber();
    changed('prompts');
    await witness.standing.hears(1);
    const standing = await Listening.open(client);
    expect(await standing.hears(1)).toMatchObject([{ method: 'notifications/prompts/list_changed' }]);
    standing.close();
  });
});
