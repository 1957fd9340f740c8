import { once } from 'node:events';
import { EventSchema } from '@ag-ui/core/schemas';
import { startProduct, type TokenOptions } from '@uar/testkit';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { WebSocket } from 'ws';
import { admin, clientOf, eventually, receiptOf, toolListed, user, type Body } from '../../client.js';
import { EventListener } from '../../event-listener.js';
import { keeps } from '../../keeps.js';
import { storedText } from '../../ledger-store.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const runs = '/api/uar/runs';
const counters = createCounters();
afterAll(() => counters.remove());

onBothBuses(
  'events',
  (bus) => ({ config: { mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters[bus].file }) } } } }),
  (product, bus) => {
    let open: { close(): void }[] = [];
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'fix__count');
    });
    afterEach(() => {
      for (const each of open) each.close();
      open = [];
    });

    const opened = async (who: TokenOptions): Promise<Body> => {
      const answer = await clientOf(product(), who).request(runs, { body: {} });
      expect(answer.status).toBe(201);
      return answer.body;
    };
    const listen = async (
      path: unknown,
      who: TokenOptions | undefined,
      options: { lastEventId?: string; reads?: boolean; at?: string } = {},
    ): Promise<EventListener> => {
      const token = who === undefined ? {} : { token: product().token(who) };
      const url = `${options.at ?? product().gateway}${String(path)}`;
      const listener = await EventListener.open(url, { ...token, ...options });
      expect(listener.response.statusCode).toBe(200);
      open.push(listener);
      return listener;
    };
    const call = (who: TokenOptions, run: unknown, args: object, tool = 'fix__count') =>
      clientOf(product(), who).request(`/api/tools/${tool}/execute`, {
        body: { arguments: args, ...(run === undefined ? {} : { run_id: String(run) }) },
      });

    keeps(
      ['events.run'],
      'a run shows its calls from proposal to end, one end each, the same as answer and receipt',
      async () => {
        const run = await opened(admin);
        const listener = await listen(run['events_url'], admin);
        const good = await call(admin, run['run_id'], { id: 'evented' });
        const bad = await call(admin, run['run_id'], { id: 5 });
        const none = await call(admin, run['run_id'], {}, 'fix__nothing');
        await clientOf(product()).request(`${runs}/${String(run['run_id'])}/cancel`, { method: 'POST' });
        await listener.ended();
        expect(listener.ids).toEqual(listener.ids.map((_, index) => index + 1));
        expect([listener.names[0], listener.names.includes('run.ended')]).toEqual(['run.opened', true]);
        for (const { body } of [good, bad, none]) {
          const own = listener.events.filter((each) => each.body.call_id === String(body['call_id']));
          const ends = own.filter(({ name }) => name === 'call.ended');
          expect(ends.map((end) => end.body.data['outcome'])).toEqual([String(body['outcome'])]);
          expect(ends[0]?.body.data['effect']).toBe(String(body['effect']));
        }
        const end = listener.events.find(({ name }) => name === 'call.ended');
        expect(end?.body.data['result']).toEqual(good.body['result']);
        const { seq } = await receiptOf(clientOf(product()), good.body);
        const receipt = await clientOf(product()).get(`/api/uar/receipts/${String(seq)}`);
        expect(end?.body.data).toMatchObject({
          outcome: receipt.body['outcome'],
          result_digest: receipt.body['result_digest'],
        });
        const proposed = listener.events.find(({ name }) => name === 'call.proposed');
        expect(proposed?.body.data).toMatchObject({
          tool: 'fix__count',
          arguments: { id: 'evented' },
          arguments_digest: receipt.body['arguments_digest'],
        });
        const again = await clientOf(product()).request(String(run['events_url']), {
          headers: { 'last-event-id': '0' },
        });
        expect(again.text).toContain('event: run.ended');
      },
    );

    keeps(
      ['events.resume'],
      'a stream that broke goes on where it was, however often it breaks, and says what it cannot give',
      async () => {
        const run = await opened(admin);
        let last = '0';
        const ids: number[] = [];
        const calls = (async () => {
          for (let n = 0; n < 20; n += 1) await call(admin, run['run_id'], { id: `resumed-${n}` });
        })();
        while (ids.length < 1 + 20 * 4) {
          const listener = await listen(run['events_url'], admin, { lastEventId: last });
          await eventually(() => Promise.resolve(listener.events.length > 3 ? true : undefined));
          listener.close();
          ids.push(...listener.ids);
          last = String(listener.ids.at(-1));
        }
        await calls;
        expect(ids).toEqual(Array.from({ length: 1 + 20 * 4 }, (_, index) => index + 1));
        const unknown = await listen(run['events_url'], admin, { lastEventId: '9999' });
        const gap = await unknown.heard('gap');
        expect(gap.body.data).toEqual({ after: 9_999, first: 1 });
        expect((await unknown.heard('call.ended')).body.seq).toBe(5);
        const bad = await clientOf(product()).get(`${String(run['events_url'])}?last_event_id=x`);
        expect(bad.status).toBe(400);
      },
    );

    keeps(
      ['events.tenant'],
      'a stranger and another tenant see nothing, and the tenant-wide stream no arguments or results',
      async () => {
        const run = await opened(user);
        const otto: TokenOptions = { sub: 'otto', roles: ['user'] };
        const foreign: TokenOptions = { sub: 'uma', roles: ['admin', 'user'], tenant: 'other' };
        for (const who of [otto, foreign])
          expect((await clientOf(product(), who).get(String(run['events_url']))).status).toBe(404);
        const [own, stranger, elsewhere, all] = [
          await listen('/api/uar/events', user),
          await listen('/api/uar/events', otto),
          await listen('/api/uar/events', foreign),
          await listen('/api/uar/events', admin),
        ];
        const { body } = await call(user, run['run_id'], { id: 'planted-secret' });
        const isIt = ({ body: of }: { body: { call_id?: string } }) => of.call_id === String(body['call_id']);
        const end = await own.heard('call.ended', isIt);
        expect(end.body.data).toMatchObject({ outcome: 'completed', success: true });
        await all.heard('call.ended', isIt);
        const listed = await clientOf(product(), user).get(`${runs}/${String(run['run_id'])}`);
        expect(listed.status).toBe(200);
        for (const each of [stranger, elsewhere]) expect(each.events.filter(isIt)).toEqual([]);
        for (const each of [own, all]) {
          const text = JSON.stringify(each.events);
          expect(text).not.toContain('planted-secret');
          expect(text).toContain('"arguments_digest":"sha256:');
        }
        const stored = await storedText(product());
        expect(stored).toContain(String(body['call_id']));
        expect(stored).not.toContain('planted-secret');
        expect(product().output()).not.toContain('planted-secret');
      },
    );

    keeps(
      ['events.approval'],
      'whoever decides the moment the event arrives finds the approval, and the run tells the rest',
      async () => {
        const run = await opened(user);
        const listener = await listen(run['events_url'], user);
        for (let n = 0; n < 5; n += 1) {
          const waiting = call(user, run['run_id'], { id: `instant-${bus}-${n}` }, 'fix__write');
          const known = new Set(listener.events);
          const required = await listener.heard('call.approval_required', (it) => !known.has(it));
          const path = `/api/uar/approvals/${String(required.body.data['approval_id'])}/decision`;
          const voted = await clientOf(product()).request(path, { body: { decision: 'approve' } });
          expect(voted.status).toBe(200);
          expect(String((await waiting).body['outcome'])).toBe('completed');
        }
        const first = listener.events.find(({ name }) => name === 'call.proposed')?.body.call_id;
        await eventually(() => Promise.resolve(listener.names.filter((it) => it === 'call.ended')[4]));
        const own = listener.events.filter(({ body }) => body.call_id === first);
        expect(own.map(({ name }) => name)).toEqual([
          'call.proposed',
          'call.decided',
          'call.approval_required',
          'call.approval_settled',
          'call.decided',
          'call.dispatched',
          'call.ended',
        ]);
      },
    );

    keeps(
      ['events.websocket'],
      'a WebSocket gives the tenant-wide stream with resume, and the dev proxy passes both forms on',
      async () => {
        const connect = async (base: string, query: string, token?: string) => {
          const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
          const socket = new WebSocket(`${base.replace('http', 'ws')}/api/uar/events${query}`, { headers });
          const frames: { id: string; type: string; call_id?: string }[] = [];
          socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString('utf8'))));
          open.push({ close: () => socket.terminate() });
          await once(socket, 'open');
          return { socket, frames };
        };
        const direct = await connect(product().gateway, '', product().token(admin));
        const proxied = await connect(product().proxy, '');
        const streamed = await listen('/api/uar/events', undefined, { at: product().proxy });
        const { body } = await call(admin, undefined, { id: 'socketed' });
        const ended = (frames: readonly { type: string; call_id?: string }[]) =>
          eventually(() =>
            Promise.resolve(
              frames.find((it) => it.type === 'call.ended' && it.call_id === String(body['call_id'])),
            ),
          );
        await Promise.all([ended(direct.frames), ended(proxied.frames)]);
        await streamed.heard('call.ended', (it) => it.body.call_id === String(body['call_id']));
        expect(JSON.stringify(proxied.frames)).not.toContain('socketed');
        const last = direct.frames.at(-2)?.id ?? '';
        const again = await connect(product().gateway, `?last_event_id=${last}`, product().token(admin));
        await ended(again.frames);
        expect(again.frames[0]).toEqual(direct.frames.at(-1));
        const refused = new WebSocket(`${product().gateway.replace('http', 'ws')}/api/uar/events`);
        const [error] = await once(refused, 'error');
        expect(String(error)).toContain('401');
      },
    );

    keeps(
      ['events.agui'],
      'a run as AG-UI, every event valid by the schemas that AG-UI publishes',
      async () => {
        const run = await opened(admin);
        const listener = await listen(`${String(run['events_url'])}?profile=agui`, admin);
        const { body } = await call(admin, run['run_id'], { id: 'agui' });
        await clientOf(product()).request(`${runs}/${String(run['run_id'])}/cancel`, { method: 'POST' });
        await listener.ended();
        const events = listener.events.map((each) => EventSchema.parse(each.body));
        expect(events.map(({ type }) => type)).toEqual([
          'RUN_STARTED',
          'TOOL_CALL_START',
          'TOOL_CALL_ARGS',
          'TOOL_CALL_END',
          'CUSTOM',
          'CUSTOM',
          'TOOL_CALL_RESULT',
          'RUN_FINISHED',
        ]);
        expect(events[2]).toMatchObject({ delta: '{"id":"agui"}', toolCallId: String(body['call_id']) });
        const unknown = await clientOf(product()).get('/api/uar/events?profile=other');
        expect(unknown.status).toBe(400);
      },
    );

    keeps(
      ['events.slow'],
      '200 streams that never read cost little memory and no call its time',
      async () => {
        const run = await opened(admin);
        const memory = async (): Promise<number> => {
          const text = await (await fetch(`${product().management}/metrics`)).text();
          return Number(
            /^uar_process_resident_memory_bytes.* (\S+)$|^process_resident_memory_bytes.* (\S+)$/m
              .exec(text)
              ?.slice(1)
              .find(Boolean),
          );
        };
        const fill = async (calls: number, inRun: unknown): Promise<void> => {
          for (let n = 0; n < calls; n += 1) await call(admin, inRun, { bytes: 60_000 }, 'fix__big');
        };
        await fill(100, undefined);
        const before = await memory();
        expect(before).toBeGreaterThan(1e7);
        for (let n = 0; n < 197; n += 1) {
          const who = { ...admin, sub: `reader-${Math.floor(n / 30)}` };
          await listen('/api/uar/events', who, { reads: false });
        }
        for (let n = 0; n < 3; n += 1) await listen(run['events_url'], admin, { reads: false });
        await fill(100, run['run_id']);
        expect((await memory()) - before).toBeLessThan(150e6);
        const reader = await listen(run['events_url'], admin);
        await reader.heard('call.ended', ({ body: { seq } }) => seq === 1 + 100 * 4);
        const start = performance.now();
        expect(String((await call(admin, undefined, { id: 'beside' })).body['outcome'])).toBe('completed');
        expect(performance.now() - start).toBeLessThan(5_000);
      },
      120_000,
    );
  },
);

keeps(
  ['events.resume'],
  'ids go on after a restart, and a client that was there before gets what it has not seen',
  async () => {
    const config = { mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters.inprocess.file }) } } };
    const first = await startProduct({ bus: 'inprocess', config });
    await toolListed(clientOf(first), 'fix__count');
    const run = await clientOf(first).request(runs, { body: {} });
    const url = String(run.body['events_url']);
    const body = { arguments: { id: 'before' }, run_id: String(run.body['run_id']) };
    await clientOf(first).request('/api/tools/fix__count/execute', { body });
    await first.stop({ keepData: true });
    const second = await startProduct({ bus: 'inprocess', config, dataDir: first.dataDir });
    await toolListed(clientOf(second), 'fix__count');
    await clientOf(second).request('/api/tools/fix__count/execute', { body });
    const token = second.token(admin);
    const listener = await EventListener.open(`${second.gateway}${url}`, { token, lastEventId: '2' });
    await listener.heard('call.ended', ({ body: { seq } }) => seq === 9);
    expect(listener.ids).toEqual([3, 4, 5, 6, 7, 8, 9]);
    listener.close();
    await second.stop();
  },
  120_000,
);
