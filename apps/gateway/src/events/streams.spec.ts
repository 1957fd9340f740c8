import { RunEventView, TenantEventView, TenantId } from '@uar/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until } from '../http-spec/gateway.fixture.js';
import { oneHuman } from '../http-spec/neighbours.fixture.js';
import { Listener } from './listener.fixture.js';

const tenant = TenantId.parse('default');
const runs = '/api/uar/runs';

describe('event streams', () => {
  let gateway: Gateway;
  let open: Listener[];
  beforeEach(async () => {
    gateway = await Gateway.start();
    gateway.neighbours.may = (question) => question.kind !== 'admin' || question.action !== 'readCalls';
    open = [];
  });
  afterEach(async () => {
    for (const each of open) each.close();
    await gateway.stop();
  });

  const opened = async (): Promise<{ id: string; url: string }> => {
    const { body } = await gateway.ask('POST', runs, { body: {} });
    return { id: String(body['run_id']), url: String(body['events_url']) };
  };
  const listen = async (
    path: string,
    options: Parameters<typeof Listener.open>[2] & { token?: string } = {},
  ) => {
    const listener = await Listener.open(`${gateway.url}${path}`, options.token ?? gateway.token(), options);
    open.push(listener);
    return listener;
  };
  const windowOf = () => gateway.neighbours.ledger.events;

  it('show a run from its opening to the end of its last call, each event as it is described', async () => {
    const { id, url } = await opened();
    const listener = await listen(url);
    expect([listener.status, listener.response.headers['content-type']]).toEqual([200, 'text/event-stream']);
    const { body } = await gateway.execute('srv__echo', { arguments: { n: 1.5 }, run_id: id });
    await gateway.ask('POST', `${runs}/${id}/cancel`);
    await until(() => listener.isOver);
    // The end of the run may overtake what the gateway has noted of its call.
    expect(listener.types.filter((type) => type !== 'run.ended')).toEqual([
      'run.opened',
      'call.proposed',
      'call.decided',
      'call.dispatched',
      'call.ended',
    ]);
    expect(listener.types).toContain('run.ended');
    expect(listener.ids).toEqual(['1', '2', '3', '4', '5', '6']);
    for (const { data } of listener.events) expect(RunEventView.safeParse(data).error).toBeUndefined();
    const of = (name: string) => listener.events.find((event) => event.name === name)?.data;
    expect(of('call.proposed')?.data['arguments']).toEqual({ n: 1.5 });
    const ended = of('call.ended');
    expect(ended?.call_id).toBe(body['call_id']);
    expect(ended?.data).toMatchObject({ outcome: 'completed', result: body['result'] });
    expect(gateway.neighbours.receipts.at(-1)).toMatchObject({
      outcome: 'completed',
      call_id: body['call_id'],
    });
  });

  it('stay until the calls of a cancelled run have ended', async () => {
    gateway.neighbours.decide = oneHuman;
    const { id, url } = await opened();
    const listener = await listen(url);
    const waiting = gateway.execute('srv__write', { run_id: id });
    await until(() => listener.types.includes('call.approval_required'));
    await gateway.ask('POST', `${runs}/${id}/cancel`);
    await waiting;
    await until(() => listener.isOver);
    expect(listener.types.slice(-3).toSorted()).toEqual(['call.approval_settled', 'call.ended', 'run.ended']);
  });

  it('go on after the last event a client has, and lose and repeat nothing', async () => {
    const { id, url } = await opened();
    const first = await listen(url);
    await gateway.execute('srv__echo', { run_id: id });
    await until(() => first.events.length === 5);
    first.close();
    await gateway.execute('srv__echo', { run_id: id });
    const second = await listen(url, { lastEventId: '3' });
    const third = await listen(`${url}?last_event_id=4`);
    await gateway.execute('srv__echo', { run_id: id });
    await until(() => second.events.length === 10 && third.events.length === 9);
    expect(second.ids).toEqual(['4', '5', '6', '7', '8', '9', '10', '11', '12', '13']);
    expect(third.ids).toEqual(second.ids.slice(1));
  });

  it('say which events are gone, and which is the first that is kept', async () => {
    const { id, url } = await opened();
    for (let n = 0; n < 3; n += 1) await gateway.execute('srv__echo', { run_id: id });
    await until(() => windowOf().count(tenant) === 13);
    windowOf().forget(tenant, 1);
    const late = await listen(url, { lastEventId: '0' });
    await until(() => late.types.at(-1) === 'call.ended' && late.ids.at(-1) === '13');
    expect(late.types[0]).toBe('gap');
    expect(RunEventView.safeParse(late.events[0]?.data).error).toBeUndefined();
    const first = late.events[0]?.data.data['first'];
    expect([late.events[0]?.data.data['after'], late.ids[1]]).toEqual([0, String(first)]);
    const unknown = await listen(url, { lastEventId: '999' });
    await until(() => unknown.ids.at(-1) === '13');
    expect(unknown.events[0]?.data.data).toEqual({ after: 999, first });
    const fresh = await listen(url);
    await until(() => fresh.ids.at(-1) === '13');
    expect(fresh.types[0]).not.toBe('gap');
  });

  it('answer 204 where a client has all of a run that ended, so that it does not come back', async () => {
    const { id, url } = await opened();
    const owner = { principal: 'User::"default/ada"', issuer: 'uar' };
    const at = Date.now() - 20_000;
    windowOf().note(tenant, { run_id: id as never, owner }, [{ type: 'run.changed', at, data_json: '{}' }]);
    const run = gateway.neighbours.ledger.runs.get(id);
    if (run !== undefined) run.run = { ...run.run, status: 'cancelled' };
    const other = await gateway.replica();
    const answer = await other.ask('GET', url, { headers: { 'last-event-id': '2' } });
    expect(answer.status).toBe(204);
    await other.running.stop();
  });

  it('show the tenant what is its own from now on, without arguments and results', async () => {
    await gateway.execute('srv__echo', { arguments: { text: 'before' } });
    await until(() => windowOf().count(tenant) === 4);
    const own = await listen('/api/uar/events');
    const other = await listen('/api/uar/events', { token: gateway.token('eve', ['user']) });
    await gateway.execute('srv__echo', { arguments: { text: 'planted-secret' } });
    windowOf().note(tenant, undefined, [
      { type: 'catalog.changed', at: 1, data_json: '{"version":"v","changed":1,"removed":0}' },
      { type: 'server.state', at: 1, data_json: '{"server":"srv","status":"ready"}' },
    ]);
    await until(() => own.events.length === 6 && other.events.length === 2);
    expect(own.types.filter((type) => type.startsWith('call.'))).toEqual([
      'call.proposed',
      'call.decided',
      'call.dispatched',
      'call.ended',
    ]);
    expect(other.types).toEqual(['catalog.changed', 'server.state']);
    expect(JSON.stringify(own.events)).not.toContain('planted-secret');
    for (const { data } of [...own.events, ...other.events])
      expect(TenantEventView.safeParse(data).error).toBeUndefined();
    const proposed = own.events.find(({ name }) => name === 'call.proposed');
    expect(proposed?.data.data).toMatchObject({ arguments_bytes: '{"text":"planted-secret"}'.length });
  });

  it('show all runs of the tenant to holders of readCalls, and server states to holders of readServers', async () => {
    gateway.neighbours.may = (question) => question.kind !== 'admin' || question.action !== 'readServers';
    const listener = await listen('/api/uar/events', { token: gateway.token('eve', ['admin']) });
    windowOf().note(tenant, undefined, [
      { type: 'server.state', at: 1, data_json: '{"server":"srv","status":"ready"}' },
    ]);
    await gateway.execute('srv__echo');
    await until(() => listener.events.length === 4);
    expect(listener.types).not.toContain('server.state');
  });

  it('are not found where the run is not the caller’s', async () => {
    const { url } = await opened();
    for (const token of [gateway.token('eve', ['user']), gateway.token('ada', ['admin'], 'coder')])
      expect((await gateway.ask('GET', url, { token })).status).toBe(404);
    expect((await gateway.ask('GET', `${runs}/run_${'0'.repeat(32)}/events`)).status).toBe(404);
    expect((await gateway.ask('GET', `${runs}/nothing/events`)).status).toBe(404);
    expect((await gateway.ask('GET', url, { token: null })).status).toBe(401);
  });

  it.each([
    ['?profile=other', {}],
    ['?last_event_id=x', {}],
    ['?what=1', {}],
    ['', { 'last-event-id': '-1' }],
    ['', { 'last-event-id': '1.5' }],
  ])('are refused with a bad request: %s %o', async (query, headers) => {
    const { url } = await opened();
    expect((await gateway.ask('GET', `${url}${query}`, { headers })).status).toBe(400);
  });

  it('read what an announcement left out, or what came without one', async () => {
    windowOf().tellsWhole = false;
    const { id, url } = await opened();
    const listener = await listen(url);
    await gateway.execute('srv__echo', { run_id: id });
    await until(() => listener.events.length === 5);
    expect(listener.ids).toEqual(['1', '2', '3', '4', '5']);
  });

  it('send nothing more to a client that does not read, and go on where it stopped', async () => {
    const { id, url } = await opened();
    const slow = await listen(url, { reads: false });
    const text = 'x'.repeat(50_000);
    for (let n = 0; n < 60; n += 1) await gateway.execute('srv__echo', { run_id: id, arguments: { text } });
    const reads = windowOf().reads;
    await gateway.execute('srv__echo', { run_id: id });
    expect(windowOf().reads - reads).toBeLessThan(3);
    slow.read();
    await until(() => slow.events.length === 1 + 61 * 4);
    expect(slow.ids).toEqual(Array.from({ length: 1 + 61 * 4 }, (_, n) => String(n + 1)));
  }, 30_000);

  it('are 32 for one principal, and one more when one has ended', async () => {
    const { url } = await opened();
    const all = await Promise.all(Array.from({ length: 32 }, () => listen(url)));
    const refused = await gateway.ask('GET', url);
    expect([refused.status, refused.body['error']?.['code'], refused.headers.get('retry-after')]).toEqual([
      429,
      'rate_limited',
      '5',
    ]);
    expect((await listen('/api/uar/events', { token: gateway.token('eve', ['user']) })).status).toBe(200);
    all[0]?.close();
    await until(async () => {
      const again = await listen(url);
      return again.status === 200;
    });
  });

  it('end with the gateway at once', async () => {
    const { url } = await opened();
    const listeners = await Promise.all([listen(url), listen('/api/uar/events')]);
    const before = performance.now();
    const stopping = gateway.running.stop();
    await until(() => listeners.every(({ isOver }) => isOver));
    expect(performance.now() - before).toBeLessThan(1_000);
    await stopping;
  });

  it('neither wait for nor fail with the ledger', async () => {
    const { id } = await opened();
    await gateway.execute('srv__echo', { run_id: id });
    await gateway.neighbours.stopLedger();
    const answer = await gateway.execute('srv__echo');
    expect(answer.body['outcome']).toBe('completed');
    expect((await gateway.ask('GET', '/api/uar/events')).status).toBe(503);
  });
});
