import { randomBytes } from 'node:crypto';
import { sharedPostgresDatabase } from '@uar/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  acme,
  beta,
  draft,
  principal,
  receipt,
  startOfTime as now,
} from '../../conformance/samples.fixture.js';
import type { Ledger } from '../../ledger.js';
import { openLedger, type PostgresLedgerOptions } from '../../open-ledger.js';
import { connected, optionsIn, query, withPostgres } from './postgres.fixture.js';

const limits = { maxPending: 10, maxNewPerMinute: 1_000 };

withPostgres('two ledgers in one Postgres', () => {
  let options: PostgresLedgerOptions;
  let one: Ledger;
  let other: Ledger;
  beforeEach(async () => {
    options = optionsIn(await sharedPostgresDatabase());
    // Both at once: each finds no tables, and one makes them.
    [one, other] = await Promise.all([openLedger(options), openLedger(options)]);
  });
  afterEach(() => Promise.all([one.close(), other.close()]));

  const either = (n: number): Ledger => (n % 2 === 0 ? one : other);
  const times = <T>(count: number, ask: (ledger: Ledger, n: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, n) => ask(either(n), n)));

  async function approved(): Promise<ReturnType<typeof draft>> {
    const asked = draft();
    await one.createApproval({ draft: asked, limits, now });
    const { approval_id: approvalId } = asked;
    await other.moveApproval({ approvalId, from: ['pending'], to: 'approved', when: 'live', now });
    return asked;
  }

  it('let one of a hundred consumptions of an approval through', async () => {
    const { approval_id, call_id, arguments_digest, tool } = await approved();
    const ask = { approval_id, call_id, arguments_digest, definition_digest: tool.definition_digest, now };
    const intent = receipt({ kind: 'intent', call_id });
    const answers = await times(100, (ledger) => ledger.consumeApproval({ ...ask, intent }));
    expect(answers.filter(({ kind }) => kind === 'consumed')).toHaveLength(1);
    const { receipts } = await one.listReceipts({ tenant: acme, after: 0, limit: 100 });
    expect(receipts).toHaveLength(1);
  });

  it('write one chain without a gap, whoever writes', async () => {
    // In rounds, so that each finds what the other wrote since its own last group.
    for (let round = 0; round < 10; round += 1) {
      await times(40, (ledger, n) =>
        ledger.appendReceipts({ receipts: [receipt({ tenant: n % 5 === 0 ? beta : acme })] }),
      );
    }
    for (const ledger of [one, other]) {
      expect(await ledger.verifyReceipts({ tenant: acme })).toMatchObject({ ok: true, length: 320 });
      expect(await ledger.verifyReceipts({ tenant: beta })).toMatchObject({ ok: true, length: 80 });
    }
  });

  it('write one outcome of a call, and grant a quota once', async () => {
    const ended = Array.from({ length: 3 }, () => receipt());
    await one.appendReceipts({ receipts: [receipt(), receipt()] });
    for (const ledger of [other, one]) {
      const places = await ledger.appendReceipts({ receipts: ended });
      expect(places.map(({ seq }) => seq)).toEqual([3, 4, 5]);
    }
    const places = await times(40, (ledger) => ledger.appendReceipts({ receipts: ended }));
    expect(new Set(places.flat().map(({ seq }) => seq))).toEqual(new Set([3, 4, 5]));
    const take = { quota: 'daily', bucket: 'b', calls: 25, window_ms: 86_400_000, needed: 1, units: 1 };
    const taken = await times(60, (ledger) => ledger.takeQuota({ takes: [take], now }));
    expect(taken.reduce((sum, answer) => sum + (answer.taken[0]?.granted ?? 0), 0)).toBe(25);
  });

  it('make no more approvals than one person may have open', async () => {
    const answers = await times(60, (ledger) =>
      ledger.createApproval({ draft: draft({ requester: principal('bob') }), limits, now }),
    );
    expect(answers.filter(({ kind }) => kind === 'created')).toHaveLength(limits.maxPending);
  });

  it('count votes and places of events together', async () => {
    const group = { tenant: acme, count: 2, events_json: '[1,2]' };
    const places = await times(30, (ledger) => ledger.appendEvents({ groups: [group], now }));
    expect(new Set(places.flat().map(({ position }) => position)).size).toBe(30);
    expect((await one.readEvents({ tenant: acme, after: 0 })).last).toBe(60);
  });

  it('see what the other has written as soon as it was answered, in a verification too', async () => {
    const [place] = await one.appendReceipts({ receipts: [receipt()] });
    expect(await other.readReceipt({ tenant: acme, seq: place?.seq ?? 0 })).toMatchObject({ kind: 'found' });
    const verifying = other.verifyReceipts({ tenant: acme });
    await times(50, (ledger) => ledger.appendReceipts({ receipts: [receipt()] }));
    expect(await verifying).toMatchObject({ ok: true });
  });

  it('wait no longer than seconds for a third that hangs in the middle of its turn', async () => {
    const { url, password = '' } = options;
    const hung = await connected({ url, password });
    await hung.query('BEGIN; SELECT pg_advisory_xact_lock(7696754, hashtext(current_schema()))');
    const started = performance.now();
    await expect(one.appendReceipts({ receipts: [receipt()] })).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('55P03'),
    });
    expect(performance.now() - started).toBeLessThan(6_000);
    expect((await one.listReceipts({ tenant: acme, after: 0, limit: 1 })).receipts).toEqual([]);
    await hung.end();
    expect(await one.appendReceipts({ receipts: [receipt()] })).toMatchObject([{ seq: 1 }]);
  });

  it('write what comes after a group that was taken back, whatever that had begun', async () => {
    const setting = { tenant: acme, namespace: 'server', value: 1, if_revision: 0 };
    await one.appendReceipts({ receipts: [receipt()] });
    const hung = await connected({ url: options.url, password: options.password ?? '' });
    await hung.query('BEGIN; LOCK TABLE settings');
    const asked = [
      one.appendReceipts({ receipts: [receipt()] }),
      one.writeSetting({ ...setting, key: 'locked' }),
    ];
    for (const { status } of await Promise.allSettled(asked)) expect(status).toBe('rejected');
    await hung.end();
    expect(await one.writeSetting({ ...setting, key: 'free' })).toMatchObject({ kind: 'written' });
    expect(await one.appendReceipts({ receipts: [receipt()] })).toMatchObject([{ seq: 2 }]);
    expect(await other.verifyReceipts({ tenant: acme })).toMatchObject({ ok: true, length: 2 });
  });

  it('write the others of a group where a receipt of it cannot be written', async () => {
    await times(4, (ledger, n) =>
      ledger.appendReceipts({ receipts: [receipt({ tenant: n < 2 ? acme : beta })] }),
    );
    // Longer than what an index takes.
    const tooLong = receipt({ tenant: beta, principal: randomBytes(8_000).toString('hex') });
    const asked = [tooLong, receipt()].map((body) => one.appendReceipts({ receipts: [body] }));
    const [refused, written] = await Promise.allSettled(asked);
    expect(refused).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining('index') },
    });
    expect(written).toMatchObject({ status: 'fulfilled', value: [{ seq: 3 }] });
    expect(await other.verifyReceipts({ tenant: beta })).toMatchObject({ ok: true, length: 2 });
  });

  it('write in schemas of their own without seeing one another', async () => {
    await query(options, 'CREATE SCHEMA apart');
    const apart = await openLedger({ ...options, url: `${options.url}?search_path=apart` });
    await apart.appendReceipts({ receipts: [receipt(), receipt()] });
    expect(await one.appendReceipts({ receipts: [receipt()] })).toMatchObject([{ seq: 1 }]);
    expect(await apart.verifyReceipts({ tenant: acme })).toMatchObject({ ok: true, length: 2 });
    await apart.close();
  });
});
