import type { Bus } from '@uar/bus';
import { TenantId, readSettings, settingsChanged, writeSetting, type Setting } from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { withBothBuses } from '@uar/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { readKept } from './read.js';
import { SettingsReplica } from './replica.js';
import { writeKept } from './write.js';

const acme = TenantId.parse('acme');
let lines: { level: number; msg: string; fault?: string }[];
const log = createLog({
  service: 'test',
  level: 'debug',
  to: { write: (line) => lines.push(JSON.parse(line) as (typeof lines)[number]) },
});
const debug = 20;
const warn = 40;
const Limit = z.strictObject({ limit: z.number() });

withBothBuses('settings replica', (connect) => {
  let ledger: Bus;
  let gateway: Bus;
  let held: Map<string, Setting>;
  let isAway: boolean;
  let replica: SettingsReplica<typeof Limit>;

  beforeEach(async () => {
    held = new Map();
    lines = [];
    isAway = false;
    ledger = await connect('approval-service');
    gateway = await connect('gateway');
    ledger.answer(readSettings, ({ namespace }) => {
      if (isAway) throw new Error('away');
      return { settings: [...held.values()].filter((setting) => setting.namespace === namespace) };
    });
    ledger.answer(writeSetting, ({ tenant, namespace, key, value, if_revision }) => {
      const place = `${namespace} ${tenant} ${key}`;
      const revision = held.get(place)?.revision ?? 0;
      if (revision !== if_revision) return { kind: 'conflict', revision };
      held.set(place, { tenant, namespace, key, value, revision: revision + 1 });
      ledger.announce(settingsChanged, { tenant, namespace, key });
      return { kind: 'written', revision: revision + 1 };
    });
    await ledger.flush();
    replica = new SettingsReplica({ bus: gateway, log, namespace: 'limit', schema: Limit, pollMs: 50 });
  });

  afterEach(async () => {
    replica.stop();
    await gateway.close();
    await ledger.close();
  });

  const write = (key: string, value: unknown, if_revision = 0, namespace = 'limit') =>
    writeKept(gateway, { tenant: acme, namespace, key, value, if_revision });

  it('warns once of a ledger that stays away, not of one that is slow to come, and says when it is back', async () => {
    const options = { bus: gateway, log, namespace: 'limit', schema: Limit, pollMs: 50 };
    const patient = new SettingsReplica({ ...options, warnAfterMs: 60_000 });
    const strict = new SettingsReplica({ ...options, namespace: 'strict', warnAfterMs: 300 });
    isAway = true;
    await Promise.all([patient.start(), strict.start()]);
    const levelsOf = (namespace: string) =>
      lines.filter((line) => 'namespace' in line && line.namespace === namespace).map(({ level }) => level);
    const debugged = () => levelsOf('strict').filter((level) => level === debug).length;
    await expect.poll(debugged, { timeout: 10_000 }).toBeGreaterThan(4);
    expect(levelsOf('strict').filter((level) => level >= warn)).toEqual([warn]);
    expect(levelsOf('strict').indexOf(warn)).toBeGreaterThan(0);
    expect(levelsOf('limit').filter((level) => level > debug)).toEqual([]);
    isAway = false;
    await Promise.all([patient.whenReady(), strict.whenReady()]);
    expect(lines.filter(({ msg }) => msg === 'settings read again')).toMatchObject([{ namespace: 'strict' }]);
    patient.stop();
    strict.stop();
  });

  it('holds what the ledger holds at the start and follows each write', async () => {
    await write('a', { limit: 1 });
    await replica.start();
    expect(replica.ready).toBe(true);
    expect(replica.get('acme', 'a')).toEqual({ kind: 'kept', revision: 1, value: { limit: 1 } });
    await write('b', { limit: 2 });
    await write('other', { limit: 9 }, 0, 'other');
    await expect.poll(() => [...replica.of('acme').keys()]).toEqual(['a', 'b']);
    expect(replica.of('acm')).toEqual(new Map());
    expect([...replica.tenants()]).toEqual(['acme']);
  });

  it('tells of each setting that came, changed or went, once', async () => {
    const told: string[] = [];
    await replica.start();
    replica.onChange(({ key }) => told.push(key));
    await write('a', { limit: 1 });
    await expect.poll(() => told).toEqual(['a']);
    await write('a', { limit: 2 }, 1);
    await expect.poll(() => told).toEqual(['a', 'a']);
    held.delete('limit acme a');
    await expect.poll(() => told).toEqual(['a', 'a', 'a']);
    expect(replica.get('acme', 'a')).toBeUndefined();
  });

  it('marks what does not fit its schema instead of leaving it out', async () => {
    await write('a', { limit: 'many' });
    await replica.start();
    expect(replica.get('acme', 'a')).toEqual({ kind: 'unreadable', revision: 1 });
  });

  it('is not ready before the ledger answered, then keeps what it read while the ledger is away', async () => {
    isAway = true;
    await write('a', { limit: 1 });
    await replica.start();
    expect(replica.ready).toBe(false);
    isAway = false;
    await replica.whenReady();
    expect(replica.ready).toBe(true);
    isAway = true;
    await replica.refresh();
    expect(replica.get('acme', 'a')).toMatchObject({ value: { limit: 1 } });
  });

  it('are read at one moment, and what does not fit is marked', async () => {
    await write('a', { limit: 1 });
    await write('b', { limit: 'many' });
    const of = { namespace: 'limit', tenant: acme };
    expect(await readKept(gateway, Limit, of)).toEqual({
      kind: 'read',
      entries: [
        { kind: 'kept', tenant: acme, key: 'a', revision: 1, value: { limit: 1 } },
        { kind: 'unreadable', tenant: acme, key: 'b', revision: 1 },
      ],
    });
    isAway = true;
    expect(await readKept(gateway, Limit, of)).toEqual({ kind: 'unavailable', cause: 'faulted' });
  });

  it('refuses a write over a revision that the writer has not seen', async () => {
    await write('a', { limit: 1 });
    expect(await write('a', { limit: 2 })).toEqual({ kind: 'conflict', revision: 1 });
  });
});
