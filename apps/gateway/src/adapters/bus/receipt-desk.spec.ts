import { createHub, type Bus, type Hub } from '@uar/bus';
import {
  TenantId,
  appendReceipts,
  writeIntent,
  type AnswerOf,
  type AskOf,
  type ReceiptBody,
} from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReceiptDesk, mostUnwritten } from './receipt-desk.js';

const log = createLog({ service: 'gateway', level: 'silent' });
const zero = `sha256:${'0'.repeat(64)}`;

function receipt(cause: string): ReceiptBody {
  return {
    at: new Date(0).toISOString(),
    kind: 'outcome',
    tenant: TenantId.parse('default'),
    principal: 'User::"default/ada"',
    governance: 'on',
    profile: 'minimal',
    outcome: 'completed',
    cause,
  };
}

describe('ReceiptDesk', () => {
  let hub: Hub;
  let desk: ReceiptDesk;
  let ledger: Bus;
  const batches: ReceiptBody[][] = [];
  let take: (ask: AskOf<typeof appendReceipts>) => AnswerOf<typeof appendReceipts>;
  beforeEach(() => {
    batches.length = 0;
    hub = createHub();
    desk = new ReceiptDesk(hub.connect({ service: 'gateway', log }), log);
    ledger = hub.connect({ service: 'approval-service', log });
    take = ({ receipts }) => ({ positions: receipts.map((_, index) => ({ seq: index + 1, hash: zero })) });
    ledger.answer(appendReceipts, (ask) => {
      batches.push(ask.receipts);
      return take(ask);
    });
  });
  afterEach(async () => {
    await desk.close(100);
    await hub.close();
  });

  it('sends what comes together in one batch and in order, and tells each its place', async () => {
    const places = ['a', 'b', 'c'].map((cause) => desk.outcome(receipt(cause)));
    desk.flush();
    expect((await Promise.all(places)).map((place) => place?.seq)).toEqual([1, 2, 3]);
    expect(batches.map((batch) => batch.map(({ cause }) => cause))).toEqual([['a', 'b', 'c']]);
  });

  it('sends by itself when nobody flushes', async () => {
    expect(await desk.outcome(receipt('a'))).toEqual({ seq: 1, hash: zero });
  });

  it('keeps receipts that the ledger did not take and sends them again', async () => {
    let failures = 1;
    const usual = take;
    take = (ask) => {
      if (failures-- > 0) throw new Error('locked');
      return usual(ask);
    };
    expect(await desk.outcome(receipt('a'))).toEqual({ seq: 1, hash: zero });
    expect(batches.length).toBe(2);
  });

  it('lets no receipt that cannot be written hold up the others', async () => {
    const bad = { ...receipt('bad'), at: 'not a time' };
    const [first, second, third] = await Promise.all(
      [receipt('a'), bad, receipt('c')].map((body) => desk.outcome(body)),
    );
    expect([first?.seq, second, third?.seq]).toEqual([1, null, 1]);
    expect(batches.flat().map(({ cause }) => cause)).toEqual(['a', 'c']);
  });

  it('counts a second outcome of a call that the ledger refused, and goes on with the others', async () => {
    take = ({ receipts }) => ({
      positions: receipts.map(({ cause }) => ({
        seq: 1,
        hash: zero,
        ...(cause === 'b' ? { refused: true } : {}),
      })),
    });
    const places = await Promise.all(['a', 'b', 'c'].map((cause) => desk.outcome(receipt(cause))));
    expect(places.map((place) => place?.seq)).toEqual([1, undefined, 1]);
    expect(desk.refused).toBe(1);
    expect(batches).toHaveLength(1);
  });

  it('takes no new calls while 10,000 receipts are unwritten', async () => {
    await ledger.close();
    const places = Array.from({ length: mostUnwritten }, (_, n) => desk.outcome(receipt(String(n))));
    expect(desk.accepting()).toBe(false);
    await desk.close(10);
    expect(new Set(await Promise.all(places))).toEqual(new Set([null]));
  });

  it('takes no new calls from a ledger that refuses to write until it takes a receipt again', async () => {
    const usual = take;
    take = () => {
      throw new Error('read-only');
    };
    const place = desk.outcome(receipt('a'));
    desk.flush();
    await expect.poll(() => desk.accepting(), { interval: 5 }).toBe(false);
    take = usual;
    expect(await place).toEqual({ seq: 1, hash: zero });
    expect(desk.accepting()).toBe(true);
  });

  it('writes one receipt for all limited calls of a principal, with their count', async () => {
    for (let n = 0; n < 5; n += 1) desk.limited({ ...receipt(''), outcome: 'rate_limited' });
    desk.limited({ ...receipt(''), outcome: 'rate_limited', principal: 'User::"default/bob"' });
    await desk.close(1_000);
    expect(batches.flat().map(({ principal, cause }) => [principal, cause])).toEqual([
      ['User::"default/ada"', '5 calls within a minute'],
      ['User::"default/bob"', '1 calls within a minute'],
    ]);
  });

  it('says that an intent was not written', async () => {
    expect(await desk.intent(receipt('a'))).toEqual({ kind: 'unavailable', cause: 'ledger_no_responders' });
    ledger.answer(writeIntent, () => ({ seq: 7, hash: zero }));
    expect(await desk.intent(receipt('a'))).toEqual({ seq: 7, hash: zero });
  });
});
