import { EventSchema } from '@ag-ui/core/schemas';
import type { TokenOptions } from '@uar/testkit';
import { expect } from 'vitest';
import { admin, clientOf, eventually, receiptOf, user } from '../../client.js';
import { eventsOnBothBuses, runs } from '../../event-world.js';
import { keeps } from '../../keeps.js';
import { storedText } from '../../ledger-store.js';

eventsOnBothBuses('events', (world, bus) => {
  keeps(
    ['events.run'],
    'a run shows its calls from proposal to end, one end each, the same as answer and receipt',
    async () => {
      const run = await world.openRun(admin);
      const listener = await world.listen(run['events_url'], admin);
      const good = await world.call(admin, run['run_id'], { id: 'evented' });
      const bad = await world.call(admin, run['run_id'], { id: 5 });
      const none = await world.call(admin, run['run_id'], {}, 'fix__nothing');
      await clientOf(world.product).request(`${runs}/${String(run['run_id'])}/cancel`, { method: 'POST' });
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
      const { seq } = await receiptOf(clientOf(world.product), good.body);
      const receipt = await clientOf(world.product).get(`/api/uar/receipts/${String(seq)}`);
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
      const again = await clientOf(world.product).request(String(run['events_url']), {
        headers: { 'last-event-id': '0' },
      });
      expect(again.text).toContain('event: run.ended');
    },
  );

  keeps(
    ['events.tenant'],
    'a stranger and another tenant see nothing, and the tenant-wide stream no arguments or results',
    async () => {
      const run = await world.openRun(user);
      const otto: TokenOptions = { sub: 'otto', roles: ['user'] };
      const foreign: TokenOptions = { sub: 'uma', roles: ['admin', 'user'], tenant: 'other' };
      for (const who of [otto, foreign])
        expect((await clientOf(world.product, who).get(String(run['events_url']))).status).toBe(404);
      const [own, stranger, elsewhere, all] = [
        await world.listen('/api/uar/events', user),
        await world.listen('/api/uar/events', otto),
        await world.listen('/api/uar/events', foreign),
        await world.listen('/api/uar/events', admin),
      ];
      const { body } = await world.call(user, run['run_id'], { id: 'planted-secret' });
      const isIt = ({ body: of }: { body: { call_id?: string } }) => of.call_id === String(body['call_id']);
      const end = await own.heard('call.ended', isIt);
      expect(end.body.data).toMatchObject({ outcome: 'completed', success: true });
      await all.heard('call.ended', isIt);
      const listed = await clientOf(world.product, user).get(`${runs}/${String(run['run_id'])}`);
      expect(listed.status).toBe(200);
      for (const each of [stranger, elsewhere]) expect(each.events.filter(isIt)).toEqual([]);
      for (const each of [own, all]) {
        const text = JSON.stringify(each.events);
        expect(text).not.toContain('planted-secret');
        expect(text).toContain('"arguments_digest":"sha256:');
      }
      const stored = await storedText(world.product);
      expect(stored).toContain(String(body['call_id']));
      expect(stored).not.toContain('planted-secret');
      expect(world.product.output()).not.toContain('planted-secret');
    },
  );

  keeps(
    ['events.approval'],
    'whoever decides the moment the event arrives finds the approval, and the run tells the rest',
    async () => {
      const run = await world.openRun(user);
      const listener = await world.listen(run['events_url'], user);
      for (let n = 0; n < 5; n += 1) {
        const waiting = world.call(user, run['run_id'], { id: `instant-${bus}-${n}` }, 'fix__write');
        const known = new Set(listener.events);
        const required = await listener.heard('call.approval_required', (it) => !known.has(it));
        const path = `/api/uar/approvals/${String(required.body.data['approval_id'])}/decision`;
        const voted = await clientOf(world.product).request(path, { body: { decision: 'approve' } });
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
    ['events.agui'],
    'a run as AG-UI, every event valid by the schemas that AG-UI publishes',
    async () => {
      const run = await world.openRun(admin);
      const listener = await world.listen(`${String(run['events_url'])}?profile=agui`, admin);
      const { body } = await world.call(admin, run['run_id'], { id: 'agui' });
      await clientOf(world.product).request(`${runs}/${String(run['run_id'])}/cancel`, { method: 'POST' });
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
      const unknown = await clientOf(world.product).get('/api/uar/events?profile=other');
      expect(unknown.status).toBe(400);
    },
  );
});
