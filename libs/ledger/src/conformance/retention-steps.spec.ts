import type { ReceiptBody, ReceiptPosition } from '@uar/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Ledger } from '../ledger.js';
import { openLedger } from '../open-ledger.js';
import { inEveryLastingPlace, type LedgerPlace } from './places.fixture.js';
import { acme, beta, callId, receipt, startOfTime as now } from './samples.fixture.js';

const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(now - days * dayMs).toISOString();

const append = (count: number, changes: Partial<ReceiptBody>) => (ledger: Ledger) =>
  ledger.appendReceipts({ receipts: Array.from({ length: count }, () => receipt(changes)) });

/** As the service does it, in steps of a few. */
async function walk(ledger: Ledger, days: number): Promise<ReceiptPosition | undefined> {
  let end: ReceiptPosition | undefined;
  for (;;) {
    const ask = { tenant: acme, before: now - days * dayMs, limit: 7 };
    const walked = await ledger.walkAged(end === undefined ? ask : { ...ask, after: end });
    if (walked.kind === 'broken') throw new Error(`broken at ${walked.at}: ${walked.problem}`);
    if (walked.kind === 'none') return end;
    end = walked.end;
    if (!walked.more) return end;
  }
}

async function truncate(ledger: Ledger, days = 30): Promise<number | undefined> {
  const through = await walk(ledger, days);
  if (through === undefined) return undefined;
  const said = receipt({ kind: 'admin', at: new Date(now).toISOString(), action: 'receipts.truncate' });
  expect(await ledger.truncateReceipts({ through, receipt: said })).toEqual({ truncated: true });
  return through.seq;
}

async function sweep(ledger: Ledger): Promise<void> {
  while ((await ledger.sweepReceipts({ tenant: acme, limit: 9 })) === 9);
}

/** Each step in a ledger that was opened for it, and has to accept what the one before left. */
inEveryLastingPlace('retention', (placed) => {
  let place: LedgerPlace;
  beforeEach(async () => {
    place = await placed();
  });
  afterEach(() => place.remove());

  async function session<T>(use: (ledger: Ledger) => Promise<T>): Promise<T> {
    const ledger = await openLedger(place.options);
    try {
      return await use(ledger);
    } finally {
      await ledger.close();
    }
  }
  const verified = () => session((ledger) => ledger.verifyReceipts({ tenant: acme }));

  it('puts a signed checkpoint in the place of old receipts, and the chain still verifies whole', async () => {
    await session(async (ledger) => {
      await append(20, { at: daysAgo(50) })(ledger);
      await append(5, { at: daysAgo(2) })(ledger);
      await append(3, { at: daysAgo(50), tenant: beta })(ledger);
      expect(await ledger.agedChains({ before: now - 30 * dayMs })).toEqual([acme, beta]);
      expect(await truncate(ledger)).toBe(20);
      expect(await ledger.readReceipt({ tenant: acme, seq: 20 })).toEqual({
        kind: 'truncated',
        through_seq: 20,
      });
      const page = await ledger.listReceipts({ tenant: acme, after: 0, limit: 100 });
      expect(page.receipts.map(({ seq }) => seq)).toEqual([21, 22, 23, 24, 25, 26]);
      expect(page.receipts.at(-1)).toMatchObject({ kind: 'admin', action: 'receipts.truncate' });
      expect(page.checkpoint).toMatchObject({
        tenant: acme,
        through_seq: 20,
        hash: page.receipts[0]?.prev_hash,
      });
    });
    expect(await verified()).toMatchObject({ ok: true, length: 26, walked_from: 21 });
    await session(async (ledger) => {
      await sweep(ledger);
      expect(await ledger.agedChains({ before: now - 30 * dayMs })).toEqual([beta]);
    });
    expect(await verified()).toMatchObject({ ok: true, length: 26, walked_from: 21 });
    expect(await session(append(1, {}))).toMatchObject([{ seq: 27 }]);
  });

  it('goes on from a checkpoint the next time', async () => {
    await session(append(10, { at: daysAgo(90) }));
    await session(append(10, { at: daysAgo(50) }));
    await session(append(1, {}));
    expect(await session((ledger) => truncate(ledger, 60))).toBe(10);
    expect(await session((ledger) => truncate(ledger, 60))).toBeUndefined();
    expect(await session((ledger) => truncate(ledger, 30))).toBe(20);
    await session(sweep);
    expect(await verified()).toMatchObject({ ok: true, length: 23, walked_from: 21 });
  });

  it('goes past no intent whose call has no outcome yet', async () => {
    const [open, ended, at] = [callId(), callId(), daysAgo(50)];
    await session(append(2, { at }));
    await session(append(1, { at, kind: 'intent', call_id: ended }));
    await session(append(1, { at, kind: 'intent', call_id: open }));
    await session(append(1, { call_id: ended }));
    expect(await session((ledger) => truncate(ledger))).toBe(3);
    expect(await session((ledger) => truncate(ledger))).toBeUndefined();
  });
});
