import { TenantId } from '@uar/contracts';
import { expect, it } from 'vitest';
import { inEveryPlace } from './places.fixture.js';
import { acme, beta, callId, digestOf, draft, receipt, startOfTime as now } from './samples.fixture.js';

const nobody = TenantId.parse('nobody');
const noLimits = { maxPending: 1_000, maxNewPerMinute: 1_000 };

inEveryPlace('receipts', (ledger) => {
  it('numbers each tenant from 1 without gaps, each tied to the one before', async () => {
    const tenant = beta;
    const bodies = Array.from({ length: 5 }, () => receipt({ tenant }));
    const positions = await ledger().appendReceipts({ receipts: bodies });
    expect(positions.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    const { receipts } = await ledger().listReceipts({ tenant, after: 0, limit: 10 });
    expect(receipts.slice(1).map((each) => each.prev_hash)).toEqual(
      receipts.slice(0, -1).map((each) => each.hash),
    );
    expect(await ledger().verifyReceipts({ tenant })).toEqual({
      ok: true,
      length: 5,
      head: positions.at(-1)?.hash,
    });
  });

  it('keeps the first outcome of a call, however often it is asked to write one', async () => {
    const tenant = TenantId.parse('asked-twice');
    const outcome = receipt({ tenant });
    const [first] = await ledger().appendReceipts({ receipts: [outcome] });
    const later = { ...outcome, outcome: 'timeout', effect: 'may_have_run' } as const;
    const again = await ledger().appendReceipts({ receipts: [outcome, later, receipt({ tenant })] });
    expect(again.map(({ seq }) => seq)).toEqual([1, 1, 2]);
    expect(again[0]).toEqual(first);
    expect(again[1]).toEqual({ ...first, refused: true });
    expect(await ledger().verifyReceipts({ tenant })).toMatchObject({ ok: true, length: 2 });
  });

  it('finds by tool, outcome, principal and time, in pages', async () => {
    const named = { server: 'time', raw_name: 'now', definition_digest: digestOf('d') };
    await ledger().appendReceipts({
      receipts: [
        receipt({ principal: 'User::"acme/one"', tool: named }),
        receipt({ principal: 'User::"acme/one"', outcome: 'timeout', effect: 'may_have_run' }),
        receipt({ principal: 'User::"acme/one"', tool: named, at: new Date(now + 60_000).toISOString() }),
      ],
    });
    const list = (query: object) =>
      ledger().listReceipts({ tenant: acme, principal: 'User::"acme/one"', after: 0, limit: 10, ...query });
    expect((await list({})).receipts).toHaveLength(3);
    for (const tool of ['now', 'time/now', 'time__now'])
      expect((await list({ tool })).receipts).toHaveLength(2);
    expect((await list({ outcome: 'timeout' })).receipts).toHaveLength(1);
    expect((await list({ since: new Date(now + 1).toISOString() })).receipts).toHaveLength(1);
    const page = await list({ limit: 2 });
    expect(page.receipts).toHaveLength(2);
    expect((await list({ after: page.next })).receipts).toHaveLength(1);
  });

  it('keeps what is about a resource or prompt among what is about tools', async () => {
    const tenant = TenantId.parse('items');
    const item = {
      ...{ kind: 'resource' as const, server: 'time', method: 'resources/read' as const },
      id_digest: digestOf('b'),
    };
    const { tool, ...about } = { ...receipt({ tenant }), item };
    await ledger().appendReceipts({ receipts: [about, receipt({ tenant })] });
    const list = (query: object) => ledger().listReceipts({ tenant, after: 0, limit: 10, ...query });
    expect((await list({ outcome: 'completed' })).receipts).toMatchObject([{ item }, { tool }]);
    expect((await list({ tool: 'time/resources/read' })).receipts).toEqual([]);
    expect((await list({ tool: 'write' })).receipts).toMatchObject([{ tool }]);
    expect(await ledger().verifyReceipts({ tenant })).toMatchObject({ ok: true, length: 2 });
  });

  it('reads one by its number, within its tenant', async () => {
    const [position] = await ledger().appendReceipts({ receipts: [receipt({ cause: 'unique' })] });
    const seq = position?.seq ?? 0;
    expect(await ledger().readReceipt({ tenant: acme, seq })).toMatchObject({
      kind: 'found',
      receipt: { cause: 'unique', hash: position?.hash },
    });
    expect(await ledger().readReceipt({ tenant: nobody, seq })).toEqual({ kind: 'not_found' });
  });

  it('keeps a failing item from touching the others of its group', async () => {
    const clash = draft();
    await ledger().createApproval({ draft: clash, limits: noLimits, now });
    const before = (await ledger().verifyReceipts({ tenant: acme })).length;
    const answers = await Promise.allSettled([
      ledger().appendReceipts({ receipts: [receipt()] }),
      ledger().createApproval({ draft: { ...clash, call_id: callId() }, limits: noLimits, now }),
      ledger().appendReceipts({ receipts: [receipt()] }),
      ledger().appendReceipts({ receipts: [receipt(), receipt({ cause: Number.NaN as unknown as string })] }),
      ledger().appendReceipts({ receipts: [receipt()] }),
    ]);
    const states = answers.map((answer) => answer.status);
    expect(states).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await ledger().verifyReceipts({ tenant: acme })).toMatchObject({ ok: true, length: before + 3 });
  });

  it('takes probes', async () => {
    await expect(ledger().probe()).resolves.toBeUndefined();
  });
});
