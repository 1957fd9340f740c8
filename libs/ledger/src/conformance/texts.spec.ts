import { expect, it } from 'vitest';
import { inEveryPlace } from './places.fixture.js';
import { acme, callId, digestOf, draft, principal, receipt, startOfTime as now } from './samples.fixture.js';

/** What databases differ in: U+0000, what one of them writes in its place, beyond the BMP, escapes of JSON, wildcards. */
const odd = ['a\0b', '\0', '\uE000', '\uE0000', '\u{1F600}', '\\u0000', '%_', `it's "so"`, '', 'ä', '\n'];

inEveryPlace('any text', (ledger) => {
  it('is a key and a value of a setting', async () => {
    for (const key of odd) {
      const value = { [key]: key };
      const asked = { tenant: acme, namespace: 'server', key, value, if_revision: 0 };
      expect(await ledger().writeSetting(asked)).toEqual({ kind: 'written', revision: 1 });
      expect(await ledger().writeSetting(asked)).toEqual({ kind: 'conflict', revision: 1 });
      const found = await ledger().readSettings({ namespace: 'server', tenant: acme, key });
      expect(found.settings).toEqual([{ tenant: acme, namespace: 'server', key, revision: 1, value }]);
    }
  });

  it('stands in the order of its code points', async () => {
    const keys = ['B', 'a', 'Z', 'z', 'ä', 'ab', 'a-b', 'aB', '1', '\u{1F600}', '\uFF5E'];
    for (const key of keys)
      await ledger().writeSetting({ tenant: acme, namespace: 'order', key, value: 1, if_revision: 0 });
    const { settings } = await ledger().readSettings({ namespace: 'order' });
    const bytes = (text: string) => Buffer.from(text);
    expect(settings.map(({ key }) => key)).toEqual(
      keys.toSorted((a, b) => Buffer.compare(bytes(a), bytes(b))),
    );
  });

  it('is an idempotency key', async () => {
    for (const key of odd) {
      const claim = { tenant: acme, principal: `User::"acme/${key}"`, key, request_digest: digestOf('1') };
      const first = { ...claim, call_id: callId(), expires_at: now + 1_000, now };
      expect(await ledger().claimKey(first)).toEqual({ kind: 'claimed' });
      expect(await ledger().claimKey({ ...first, call_id: callId() })).toEqual({
        kind: 'same',
        call_id: first.call_id,
      });
    }
  });

  it('is the reason of a vote, and a name in a question', async () => {
    for (const text of odd) {
      const asked = draft({ requester: principal(`ann ${text}`), reasons: [text], arguments_preview: text });
      const limits = { maxPending: 100, maxNewPerMinute: 100 };
      await ledger().createApproval({ draft: asked, limits, now });
      const vote = { voter: principal(`bob ${text}`), decision: 'approve' as const, reason: text };
      const ask = {
        approvalId: asked.approval_id,
        vote,
        receipt: receipt({ kind: 'admin', action: 'vote' }),
        now,
      };
      expect(await ledger().recordVote(ask)).toMatchObject({ kind: 'counted', repeated: false });
      expect(await ledger().recordVote(ask)).toMatchObject({ kind: 'counted', repeated: true });
      const record = await ledger().readApproval({ approvalId: asked.approval_id });
      expect(record).toMatchObject({ draft: asked, votes: [{ ...vote, at: now }] });
    }
  });

  it('is in receipts, which are found by it and form a chain that holds', async () => {
    for (const text of odd) {
      const tool = { server: `s${text}`, raw_name: `t${text}`, definition_digest: digestOf('d') };
      const body = receipt({ principal: `User::"acme/${text}"`, cause: text, tool });
      const [place] = await ledger().appendReceipts({ receipts: [body] });
      const found = await ledger().readReceipt({ tenant: acme, seq: place?.seq ?? 0 });
      expect(found).toMatchObject({ kind: 'found', receipt: body });
      const query = { tenant: acme, after: 0, limit: 10 };
      for (const by of [
        { principal: body.principal },
        { tool: tool.raw_name },
        { tool: `s${text}/t${text}` },
      ]) {
        const { receipts } = await ledger().listReceipts({ ...query, ...by });
        expect(receipts.map(({ seq }) => seq)).toEqual([place?.seq]);
      }
    }
    expect(await ledger().verifyReceipts({ tenant: acme })).toMatchObject({ ok: true });
  });
});
