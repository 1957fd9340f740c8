import { createHub, type Bus, type Hub } from '@uar/bus';
import { RunId, TenantId, appendEvents, type AskOf, type EventRun, type NotedEvent } from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EventDesk } from './event-desk.js';

type Batch = AskOf<typeof appendEvents>;

const tenant = TenantId.parse('acme');
const log = createLog({ service: 'test', level: 'silent' });

function run(n: number): EventRun {
  const owner = { principal: 'User::"acme/ann"', issuer: 'i' };
  return { run_id: RunId.parse(`run_${n.toString(16).padStart(32, '0')}`), owner };
}

function event(text: string, json?: string): NotedEvent {
  return {
    type: 'call.proposed',
    at: 1,
    data_json: JSON.stringify(text),
    ...(json === undefined ? {} : { payload: { member: 'arguments', json } }),
  };
}

describe('the event desk', () => {
  let hub: Hub;
  let bus: Bus;
  let ledger: Bus;
  let desk: EventDesk;
  let batches: Batch[];
  let dropped: number;

  const listen = (answer: (batch: Batch) => { appended: boolean } | Promise<{ appended: boolean }>) => {
    ledger = hub.connect({ service: 'approval-service', log });
    ledger.answer(appendEvents, (batch) => {
      batches.push(batch);
      return answer(batch);
    });
  };
  const textsOf = (runId?: string): string[] =>
    batches
      .flatMap(({ groups }) => groups)
      .filter(({ run: of }) => runId === undefined || of?.run_id === runId)
      .flatMap(({ events_json }): NotedEvent[] => JSON.parse(events_json))
      .map(({ type, data_json }) => (type === 'gap' ? data_json : JSON.parse(data_json)));

  beforeEach(() => {
    hub = createHub();
    bus = hub.connect({ service: 'gateway', log });
    batches = [];
    dropped = 0;
    desk = new EventDesk({ bus, log, now: () => 1, onDropped: (count) => (dropped += count) });
  });
  afterEach(async () => {
    await desk.close(0);
    await hub.close();
  });

  it('sends what comes within a moment as one batch, the events of each run together and in order', async () => {
    listen(() => ({ appended: true }));
    for (const text of ['a', 'b', 'c']) desk.note({ tenant, run: run(1) }, event(text));
    desk.note({ tenant, run: run(2) }, event('d'));
    desk.note({ tenant, run: run(1) }, event('e'));
    await expect.poll(() => batches.length).toBe(1);
    expect(batches[0]?.groups.map(({ count }) => count)).toEqual([4, 1]);
    expect(textsOf(run(1).run_id)).toEqual(['a', 'b', 'c', 'e']);
    expect(desk.unsent).toBe(0);
  });

  it('cuts long events into groups that the ledger takes', async () => {
    listen(() => ({ appended: true }));
    const json = JSON.stringify('z'.repeat(60_000));
    for (let n = 0; n < 30; n += 1) desk.note({ tenant, run: run(1) }, event(String(n), json));
    await expect.poll(() => textsOf().length).toBe(30);
    expect(batches.length).toBeGreaterThan(1);
    for (const { events_json } of batches.flatMap(({ groups }) => groups))
      expect(events_json.length).toBeLessThan(200_000);
    expect(textsOf()).toEqual(Array.from({ length: 30 }, (_, n) => String(n)));
  });

  it('sends a batch again whose answer it did not hear, as the same batch', async () => {
    let isFirst = true;
    listen(() => {
      if (!isFirst) return { appended: false };
      isFirst = false;
      throw new Error('answered nothing');
    });
    desk.note({ tenant, run: run(1) }, event('a'));
    await expect.poll(() => batches.length).toBe(2);
    desk.note({ tenant, run: run(1) }, event('b'));
    await expect.poll(() => batches.length).toBe(3);
    expect(batches.map(({ batch }) => batch)).toEqual([1, 1, 2]);
    expect(batches[1]).toEqual(batches[0]);
  });

  it('takes ten thousand events while the ledger is away, then drops, counts and tells the gap where it is', async () => {
    for (let n = 0; n < 10_005; n += 1) desk.note({ tenant, run: run(1) }, event(String(n)));
    desk.note({ tenant, run: run(2) }, event('other'));
    expect([desk.unsent, dropped]).toEqual([10_000, 6]);
    listen(() => ({ appended: true }));
    await expect.poll(() => textsOf(run(2).run_id), { timeout: 10_000 }).toEqual(['{"dropped":1}']);
    desk.note({ tenant, run: run(1) }, event('later'));
    await expect.poll(() => textsOf(run(1).run_id).slice(-3)).toEqual(['9999', '{"dropped":5}', 'later']);
  });

  /** A ledger that breaks at what some event says. */
  const refuse = (text: string) =>
    listen(({ groups }) => {
      if (groups.some(({ events_json }) => events_json.includes(text))) throw new Error('never');
      return { appended: true };
    });
  const written = () =>
    batches.filter((batch) => !JSON.stringify(batch).includes('poison')).flatMap(({ groups }) => groups);

  it('loses of a batch only the event that breaks the ledger, and holds nothing up behind it', async () => {
    refuse('poison');
    for (let n = 0; n < 40; n += 1) desk.note({ tenant, run: run(n % 4) }, event(`e${n}`));
    desk.note({ tenant, run: run(1) }, event('poison'));
    desk.note({ tenant, run: run(1) }, event('behind'));
    await expect.poll(() => JSON.stringify(written()).includes('behind')).toBe(true);
    await expect.poll(() => JSON.stringify(written()).includes('dropped')).toBe(true);
    expect([dropped, desk.unsent]).toEqual([1, 0]);
    const events = written().flatMap(({ events_json }): NotedEvent[] => JSON.parse(events_json));
    const told = events.filter(({ type }) => type !== 'gap').map(({ data_json }) => JSON.parse(data_json));
    expect(told.toSorted()).toEqual([...Array.from({ length: 40 }, (_, n) => `e${n}`), 'behind'].toSorted());
    const sent = batches.map(({ batch }) => batch);
    for (const batch of sent) expect(sent.filter((it) => it === batch).length).toBeLessThanOrEqual(5);
  });

  it('loses of a batch only the event that is no event to the ledger', async () => {
    listen(() => ({ appended: true }));
    for (let n = 0; n < 20; n += 1) desk.note({ tenant, run: run(n) }, event(`e${n}`));
    desk.note({ tenant: '' as TenantId }, event('poison'));
    desk.note({ tenant, run: run(1) }, event('behind'));
    await expect.poll(() => textsOf().includes('behind')).toBe(true);
    await expect.poll(() => desk.unsent).toBe(0);
    expect(dropped).toBe(1);
    expect(textsOf().toSorted()).toEqual(
      [...Array.from({ length: 20 }, (_, n) => `e${n}`), 'behind'].toSorted(),
    );
  });

  it('gives up at its close where nobody answers', async () => {
    desk.note({ tenant }, event('a'));
    const before = performance.now();
    await desk.close(50);
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});
