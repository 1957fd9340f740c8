import { type LogLevel, type Seat } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { settle } from '../hand-clock.fixture.js';
import { linkTimes, mostSeats } from '../link/link-times.js';
import { capabilitiesOf } from './capabilities.js';
import { SeatWorld } from './seats.fixture.js';

const seat = (id: string, log_level?: LogLevel): Seat => ({
  ...{ id, gateway: 'a'.repeat(16), capabilities_json: '{"roots":{}}' },
  ...(log_level === undefined ? {} : { log_level }),
});

describe('Seats', () => {
  it('opens one session for all who come at once, and says whose it is', async () => {
    const world = new SeatWorld();
    await Promise.all([world.call('a', seat('s')), world.call('a', seat('s')), world.call('a')]);
    expect(world.opened.map(({ options }) => [options.principal, options.client.capabilities])).toEqual([
      ['a', { roots: {} }],
      ['a', {}],
    ]);
  });

  it('closes a session that was idle, and none in which a call runs', async () => {
    const world = new SeatWorld();
    await world.call('a');
    const running = await world.enter('b');
    await world.clock.pass(linkTimes.seatIdle - 1);
    expect(world.alive).toBe(2);
    await world.call('a');
    await world.clock.pass(1);
    expect(world.alive).toBe(2);
    await world.idle();
    expect(world.opened.map(({ closed }) => closed)).toEqual([true, false]);
    if (running.kind === 'placed') running.place.leave();
    await world.idle();
    expect(world.alive).toBe(0);
    await world.call('a');
    expect(world.alive).toBe(1);
  });

  it('runs so many calls at once in a session, whatever runs in the others', async () => {
    const world = new SeatWorld({ concurrency: 1 });
    const first = await world.enter('a');
    const second = world.enter('a');
    const leaver = new AbortController();
    const third = world.seats.take({ principal: 'a', seat: undefined }, leaver.signal);
    expect(await world.enter('b')).toMatchObject({ kind: 'placed' });
    leaver.abort();
    expect(await third).toEqual({ kind: 'cancelled', dispatched: false });
    if (first.kind === 'placed') first.place.leave();
    expect(await second).toMatchObject({ kind: 'placed' });
    for (let count = 0; count < 16; count += 1) void world.enter('a');
    expect(await world.enter('a')).toMatchObject({ kind: 'overloaded' });
  });

  it('keeps a session with subscriptions longer', async () => {
    const world = new SeatWorld();
    const placed = await world.enter('a');
    if (placed.kind !== 'placed') throw new Error(placed.kind);
    const { subscriptions, upstream } = placed.place;
    const params = { name: 'x', arguments: { text: '{}' } } as never;
    const call = { method: 'resources/subscribe', params, timeoutMs: 1, maxResultBytes: 9 } as const;
    await subscriptions.subscribe('x:y', () =>
      upstream.call({ ...call, signal: new AbortController().signal }),
    );
    placed.place.leave();
    await world.idle();
    expect(world.alive).toBe(1);
    await world.clock.pass(linkTimes.subscribedSeatIdle);
    expect(world.alive).toBe(0);
  });

  it('makes room with the longest idle, and turns a call away where nobody is', async () => {
    const world = new SeatWorld();
    await world.call('first');
    await world.clock.pass(1);
    const places = [];
    for (let count = 1; count < mostSeats; count += 1) places.push(await world.enter(`p${count}`));
    expect(world.alive).toBe(mostSeats);
    places.push(await world.enter('further'));
    await settle();
    expect(world.opened[0]?.closed).toBe(true);
    expect(world.alive).toBe(mostSeats);
    expect(await world.enter('too many')).toMatchObject({ kind: 'overloaded' });
    expect(await world.enter('further')).toMatchObject({ kind: 'placed' });
  });

  it('lets one principal hold its share, whose own longest idle goes, and others come in', async () => {
    const world = new SeatWorld({ seats_per_principal: 3 });
    const busy = await world.enter('a', seat('1'));
    for (const id of ['2', '3', '4', '5']) {
      await world.call('a', seat(id));
      await world.clock.pass(1);
    }
    expect(world.opened.map(({ closed }) => closed)).toEqual([false, true, true, false, false]);
    for (const id of ['4', '5']) await world.enter('a', seat(id));
    expect(await world.enter('a', seat('6'))).toMatchObject({ kind: 'overloaded' });
    for (let count = 3; count < mostSeats; count += 1) await world.call(`p${count}`);
    expect(world.alive).toBe(mostSeats);
    expect(await world.enter('last')).toMatchObject({ kind: 'placed' });
    expect(busy.kind).toBe('placed');
    expect(world.opened[0]?.closed).toBe(false);
  });

  it('holds up alone who gives sessions up faster than they end', async () => {
    const world = new SeatWorld({ seats_per_principal: 2 });
    world.close = () => new Promise(() => undefined);
    for (let id = 0; id < 6; id += 1) await world.call('a', seat(`${id}`));
    expect(await world.enter('a', seat('6'))).toMatchObject({ kind: 'overloaded' });
    expect(await world.enter('b')).toMatchObject({ kind: 'placed' });
  });

  it('begins none while too many take their time to end', async () => {
    const world = new SeatWorld();
    world.close = () => new Promise(() => undefined);
    for (let count = 0; count < 2 * mostSeats; count += 1) await world.call(`p${count}`);
    expect(await world.enter('further')).toMatchObject({ kind: 'overloaded' });
    expect(await world.enter(`p${mostSeats}`)).toMatchObject({ kind: 'placed' });
  });

  it('forgets a session that was lost or never came to be', async () => {
    const world = new SeatWorld();
    await world.call('a');
    world.opened[0]?.lose({ message: 'gone', authRequired: false });
    await settle();
    await world.call('a');
    expect(world.opened.length).toBe(2);
    world.open = () => ({ kind: 'failed', message: 'no such program' });
    expect(await world.enter('b')).toEqual({ kind: 'unavailable', message: 'no such program' });
    expect(world.failures).toEqual(['own: no such program']);
    world.open = (upstream) => ({ kind: 'open', upstream, sandbox: 'none' });
    expect(await world.enter('b')).toMatchObject({ kind: 'placed' });
  });

  it('lets a caller leave while a session opens, and closes at the end what came too late', async () => {
    const world = new SeatWorld();
    let open = (): void => undefined;
    world.open = (upstream) =>
      new Promise((resolve) => {
        open = () => resolve({ kind: 'open', upstream, sandbox: 'none' });
      });
    const leaver = new AbortController();
    const left = world.seats.take({ principal: 'a', seat: undefined }, leaver.signal);
    await settle();
    leaver.abort();
    expect(await left).toEqual({ kind: 'cancelled', dispatched: false });
    const ended = world.seats.end();
    open();
    await ended;
    expect(world.alive).toBe(0);
    expect(world.opened[0]?.options.signal.aborted).toBe(true);
    expect(await world.enter('a')).toMatchObject({ kind: 'unavailable' });
  });

  it('gives calls in sessions that are given up their time', async () => {
    const world = new SeatWorld();
    const running = await world.enter('a');
    const slow = await world.enter('b');
    await world.call('c');
    void world.seats.clear();
    await settle();
    expect(world.opened.map(({ closed }) => closed)).toEqual([false, false, true]);
    await world.call('a');
    expect(world.opened.length).toBe(4);
    if (running.kind === 'placed') running.place.leave();
    await settle();
    expect(world.opened.map(({ closed }) => closed)).toEqual([true, false, true, false]);
    expect(slow.kind).toBe('placed');
    await world.clock.pass(linkTimes.retire);
    expect(world.opened[1]?.closed).toBe(true);
  });

  it('asks for a log level once, and again when it changes', async () => {
    const world = new SeatWorld();
    for (const level of [undefined, 'info', 'info', undefined, 'error'] as const)
      await world.call('a', seat('s', level));
    expect(world.opened[0]?.levels).toEqual(['info', 'error']);
  });

  it('tells the gateway of the seat, and nobody of a session that no seat named', async () => {
    const world = new SeatWorld();
    await world.call('a', seat('s', 'error'));
    await world.call('b');
    for (const { options } of world.opened) {
      const tell = (method: string, paramsJson: string) => options.client.onNotice({ method, paramsJson });
      tell('notifications/message', '{"level":"info"}');
      tell('notifications/message', '{"level":"loud"}');
      tell('notifications/message', '{"level":"alert"}');
      tell('notifications/prompts/list_changed', '{}');
    }
    await world.clock.pass(1_000);
    expect(world.told.map(({ seat: one, params_json }) => [one?.id, params_json])).toEqual([
      ['s', '{"level":"alert"}'],
      ['s', '{}'],
    ]);
    expect(world.changed).toEqual(['prompts', 'prompts']);
  });
});

describe('capabilitiesOf', () => {
  it('takes those that can be kept to, and none of what is no JSON object', () => {
    expect(
      capabilitiesOf('{"sampling":{"tools":{}},"elicitation":{"url":{}},"tasks":{},"roots":{}}'),
    ).toEqual({
      ...{ sampling: { tools: {} }, elicitation: { url: {} }, roots: {} },
    });
    for (const text of ['', '[]', '{"sampling":true}', '{"roots":{},"roots":{}}', '{"roots":'])
      expect(capabilitiesOf(text)).toEqual({});
  });
});
