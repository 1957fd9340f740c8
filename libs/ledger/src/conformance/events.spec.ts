import { readFileSync } from 'node:fs';
import { RunId, TenantId, type EventGroup, type EventRun } from '@uar/contracts';
import { expect, it } from 'vitest';
import type { Ledger } from '../ledger.js';
import { openLedger } from '../open-ledger.js';
import { inEveryPlace } from './places.fixture.js';
import { ledgerFolder, startOfTime as now } from './samples.fixture.js';

const dayMs = 24 * 3_600_000;
const source = '0123456789abcdef';

let made = 0;
const newTenant = (): TenantId => TenantId.parse(`events-${++made}`);
const newRun = (): EventRun => ({
  run_id: RunId.parse(`run_${(++made).toString(16).padStart(32, '0')}`),
  owner: { principal: 'User::"acme/ann"', issuer: 'https://idp.example', agent_id: 'coder' },
});

function group(tenant: TenantId, run?: EventRun, texts: readonly string[] = ['x']): EventGroup {
  const events = texts.map((text) => ({ type: 'call.proposed', at: now, data_json: `{"text":"${text}"}` }));
  return {
    tenant,
    count: events.length,
    events_json: JSON.stringify(events),
    ...(run === undefined ? {} : { run }),
  };
}

inEveryPlace('events', (ledger) => {
  const append = (groups: readonly EventGroup[], at = now) =>
    ledger().appendEvents({ groups: [...groups], now: at });
  const read = (tenant: TenantId, run?: EventRun, after = 0) =>
    ledger().readEvents({ tenant, after, ...(run === undefined ? {} : { run_id: run.run_id }) });
  const textsOf = ({ groups }: Awaited<ReturnType<Ledger['readEvents']>>): string[] =>
    groups.flatMap((each) =>
      JSON.parse(each.events_json).map((it: { data_json: string }) => JSON.parse(it.data_json).text),
    );

  it('gives events back in order, by run and by tenant, each with its place', async () => {
    const tenant = newTenant();
    const [one, other] = [newRun(), newRun()];
    const places = await append([group(tenant, one, ['a', 'b']), group(tenant, other, ['c']), group(tenant)]);
    expect(places).toEqual([
      { position: 1, seq: 1, count: 2, run: one },
      { position: 3, seq: 1, count: 1, run: other },
      { position: 4, count: 1 },
    ]);
    await append([group(tenant, one, ['d'])]);
    const ofRun = await read(tenant, one);
    expect(textsOf(ofRun)).toEqual(['a', 'b', 'd']);
    expect(ofRun).toMatchObject({ last: 3, lost: false, more: false });
    expect(ofRun.groups[1]).toMatchObject({ position: 5, seq: 3, run: one });
    expect(textsOf(await read(tenant))).toEqual(['a', 'b', 'c', 'x', 'd']);
  });

  it('reads on after any event, also one in the middle of a group', async () => {
    const tenant = newTenant();
    const run = newRun();
    await append([group(tenant, run, ['a', 'b', 'c']), group(tenant, run, ['d'])]);
    expect((await read(tenant, run, 1)).groups.map(({ seq }) => seq)).toEqual([1, 4]);
    expect((await read(tenant, run, 3)).groups.map(({ seq }) => seq)).toEqual([4]);
    expect(await read(tenant, run, 4)).toEqual({ groups: [], more: false, last: 4, lost: false });
    expect(await read(tenant, run, 99)).toEqual({ groups: [], more: false, last: 4, lost: false });
  });

  it('shows no tenant the events of another, whatever run is named', async () => {
    const [own, foreign] = [newTenant(), newTenant()];
    const run = newRun();
    await append([group(foreign, run, ['secret'])]);
    expect(await read(own, run)).toEqual({ groups: [], more: false, last: 0, lost: false });
    expect((await read(own)).groups).toEqual([]);
  });

  it('writes a batch that comes again once', async () => {
    const tenant = newTenant();
    const run = newRun();
    const ask = (batch: number) =>
      ledger().appendEvents({ groups: [group(tenant, run, [`b${batch}`])], from: { source, batch }, now });
    expect(await ask(1)).toHaveLength(1);
    expect(await ask(1)).toEqual([]);
    expect(await ask(2)).toHaveLength(1);
    expect(await ask(1)).toEqual([]);
    expect(textsOf(await read(tenant, run))).toEqual(['b1', 'b2']);
  });

  it('keeps the last thousand events of a run, says what is lost, and never counts back', async () => {
    const tenant = newTenant();
    const [run, other] = [newRun(), newRun()];
    await append([group(tenant, other, ['kept'])]);
    const hundred = Array.from({ length: 100 }, (_, n) => String(n));
    for (let n = 0; n < 12; n += 1) await append([group(tenant, run, hundred)]);
    const all = await read(tenant, run);
    expect(all).toMatchObject({ last: 1_200, lost: true });
    expect([all.groups[0]?.seq, all.groups.length]).toEqual([201, 10]);
    expect((await read(tenant, run, 199)).lost).toBe(true);
    expect((await read(tenant, run, 200)).lost).toBe(false);
    expect(textsOf(await read(tenant, other))).toEqual(['kept']);
    expect(await read(tenant, undefined, 100)).toMatchObject({ last: 1_201, lost: true });
    expect(await read(tenant, undefined, 201)).toMatchObject({ lost: false });
  });

  it('keeps the last hundred thousand events of a tenant', async () => {
    const tenant = newTenant();
    const texts = Array.from({ length: 256 }, () => 'y');
    for (let n = 0; n < 110; n += 1) await append([0, 1, 2, 3].map(() => group(tenant, newRun(), texts)));
    let kept = 0;
    for (let after = 0, more = true; more;) {
      const page = await read(tenant, undefined, after);
      kept += page.groups.reduce((sum, { count }) => sum + count, 0);
      const last = page.groups.at(-1);
      after = last === undefined ? after : last.position + last.count - 1;
      more = page.more;
    }
    expect(kept).toBeGreaterThanOrEqual(100_000);
    expect(kept).toBeLessThan(100_000 + 256);
  }, 30_000);

  it('forgets events after a day and places of runs never, or not below what they were', async () => {
    const tenant = newTenant();
    const run = newRun();
    await append([group(tenant, run, ['a', 'b'])]);
    await ledger().purgeExpired({ now: now + dayMs - 1 });
    expect((await read(tenant, run)).groups).toHaveLength(1);
    for (let left = 1; left > 0;) left = await ledger().purgeExpired({ now: now + dayMs + 1 });
    expect(await read(tenant, run)).toEqual({ groups: [], more: false, last: 2, lost: true });
    expect(await append([group(tenant, run)], now + 2 * dayMs)).toMatchObject([{ seq: 3, position: 3 }]);
    for (let left = 1; left > 0;) left = await ledger().purgeExpired({ now: now + 40 * dayMs });
    const [again] = await append([group(tenant, run)], now + 40 * dayMs);
    expect(again?.seq).toBeGreaterThan(3);
    expect(again?.position).toBe(4);
    expect((await read(tenant, run)).lost).toBe(false);
  });

  it('ends a page before it grows too large, and gives the rest when asked on', async () => {
    const tenant = newTenant();
    const run = newRun();
    const long = 'z'.repeat(120_000);
    for (let n = 0; n < 6; n += 1) await append([group(tenant, run, [long])]);
    const first = await read(tenant, run);
    expect(first.more).toBe(true);
    expect(first.groups.length).toBeLessThan(6);
    const rest = await read(tenant, run, first.groups.length);
    expect(first.groups.length + rest.groups.length).toBe(6);
    expect(rest.more).toBe(false);
  });
});

it('goes on counting after a restart, and lets nobody read the events in the file', async () => {
  const folder = ledgerFolder();
  const tenant = newTenant();
  const run = newRun();
  const append = async () => {
    const ledger = await openLedger(folder.options);
    const places = await ledger.appendEvents({ groups: [group(tenant, run, ['planted-secret'])], now });
    await ledger.close();
    return places;
  };
  expect(await append()).toMatchObject([{ position: 1, seq: 1 }]);
  expect(await append()).toMatchObject([{ position: 2, seq: 2 }]);
  const bytes = readFileSync(folder.options.file);
  expect(bytes.includes(run.run_id)).toBe(true);
  expect(bytes.includes('planted-secret')).toBe(false);
  folder.remove();
});
