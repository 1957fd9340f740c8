import { once } from 'node:events';
import { startProduct } from '@uar/testkit';
import { afterAll, expect } from 'vitest';
import { WebSocket } from 'ws';
import { admin, clientOf, eventually, toolListed } from '../../client.js';
import { EventListener } from '../../event-listener.js';
import { eventsOnBothBuses, runs } from '../../event-world.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer } from '../../on-both-buses.js';

eventsOnBothBuses('event streams', (world) => {
  keeps(
    ['events.resume'],
    'a stream that broke goes on where it was, however often it breaks, and says what it cannot give',
    async () => {
      const run = await world.openRun(admin);
      let last = '0';
      const ids: number[] = [];
      const calls = (async () => {
        for (let n = 0; n < 20; n += 1) await world.call(admin, run['run_id'], { id: `resumed-${n}` });
      })();
      const all = 1 + 20 * 4;
      while (ids.length < all) {
        const few = Math.min(4, all - ids.length);
        const listener = await world.listen(run['events_url'], admin, { lastEventId: last });
        await eventually(() => Promise.resolve(listener.events.length >= few ? true : undefined));
        listener.close();
        ids.push(...listener.ids);
        last = String(listener.ids.at(-1));
      }
      await calls;
      expect(ids).toEqual(Array.from({ length: all }, (_, index) => index + 1));
      const unknown = await world.listen(run['events_url'], admin, { lastEventId: '9999' });
      const gap = await unknown.heard('gap');
      expect(gap.body.data).toEqual({ after: 9_999, first: 1 });
      expect((await unknown.heard('call.ended')).body.seq).toBe(5);
      const bad = await clientOf(world.product).get(`${String(run['events_url'])}?last_event_id=x`);
      expect(bad.status).toBe(400);
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
        world.closesLater({ close: () => socket.terminate() });
        await once(socket, 'open');
        return { socket, frames };
      };
      const direct = await connect(world.product.gateway, '', world.product.token(admin));
      const proxied = await connect(world.product.proxy, '');
      const streamed = await world.listen('/api/uar/events', undefined, { at: world.product.proxy });
      const { body } = await world.call(admin, undefined, { id: 'socketed' });
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
      const again = await connect(
        world.product.gateway,
        `?last_event_id=${last}`,
        world.product.token(admin),
      );
      await ended(again.frames);
      expect(again.frames[0]).toEqual(direct.frames.at(-1));
      const refused = new WebSocket(`${world.product.gateway.replace('http', 'ws')}/api/uar/events`);
      const [error] = await once(refused, 'error');
      expect(String(error)).toContain('401');
    },
  );

  keeps(
    ['events.slow'],
    '200 streams that never read cost little memory and no call its time',
    async () => {
      const run = await world.openRun(admin);
      const memory = async (): Promise<number> => {
        const text = await (await fetch(`${world.product.management}/metrics`)).text();
        return Number(
          /^uar_process_resident_memory_bytes.* (\S+)$|^process_resident_memory_bytes.* (\S+)$/m
            .exec(text)
            ?.slice(1)
            .find(Boolean),
        );
      };
      const fill = async (calls: number, inRun: unknown): Promise<void> => {
        for (let n = 0; n < calls; n += 1) await world.call(admin, inRun, { bytes: 60_000 }, 'fix__big');
      };
      await fill(100, undefined);
      const before = await memory();
      expect(before).toBeGreaterThan(1e7);
      for (let n = 0; n < 197; n += 1) {
        const who = { ...admin, sub: `reader-${Math.floor(n / 30)}` };
        await world.listen('/api/uar/events', who, { reads: false });
      }
      for (let n = 0; n < 3; n += 1) await world.listen(run['events_url'], admin, { reads: false });
      await fill(100, run['run_id']);
      expect((await memory()) - before).toBeLessThan(150e6);
      const reader = await world.listen(run['events_url'], admin);
      await reader.heard('call.ended', ({ body: { seq } }) => seq === 1 + 100 * 4);
      const start = performance.now();
      expect(String((await world.call(admin, undefined, { id: 'beside' })).body['outcome'])).toBe(
        'completed',
      );
      expect(performance.now() - start).toBeLessThan(5_000);
    },
    120_000,
  );
});

const counters = createCounters();
afterAll(() => counters.remove());

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
