import { expect, it } from 'vitest';
import { inEveryPlace } from './places.fixture.js';
import { acme, beta, callId, digestOf, receipt, startOfTime as now } from './samples.fixture.js';

inEveryPlace('settings', (ledger) => {
  const setting = { tenant: acme, namespace: 'server', key: 'time' };

  it('writes only over the revision the writer has seen', async () => {
    expect(await ledger().writeSetting({ ...setting, value: { n: 1 }, if_revision: 0 })).toEqual({
      kind: 'written',
      revision: 1,
    });
    expect(await ledger().writeSetting({ ...setting, value: { n: 9 }, if_revision: 0 })).toEqual({
      kind: 'conflict',
      revision: 1,
    });
    expect(await ledger().writeSetting({ ...setting, value: { n: 2 }, if_revision: 1 })).toEqual({
      kind: 'written',
      revision: 2,
    });
    expect((await ledger().readSettings({ namespace: 'server' })).settings).toEqual([
      { ...setting, revision: 2, value: { n: 2 } },
    ]);
  });

  it('never gives a removed and remade key a revision it had before', async () => {
    await ledger().writeSetting({ ...setting, key: 'again', value: 1, if_revision: 0 });
    await ledger().writeSetting({ ...setting, key: 'again', value: null, if_revision: 1 });
    const remade = await ledger().writeSetting({ ...setting, key: 'again', value: 1, if_revision: 0 });
    expect(remade).toEqual({ kind: 'written', revision: 3 });
    const late = await ledger().writeSetting({ ...setting, key: 'again', value: 'late', if_revision: 1 });
    expect(late).toEqual({ kind: 'conflict', revision: 3 });
  });

  it('writes a receipt with the setting, or neither', async () => {
    const admin = receipt({ kind: 'admin', action: 'agent.put coder' });
    const asked = { ...setting, key: 'with-receipt', value: 1, if_revision: 0, receipt: admin };
    const written = await ledger().writeSetting(asked);
    expect(written).toMatchObject({ kind: 'written', revision: 1, receipt: { seq: expect.any(Number) } });
    const before = (await ledger().listReceipts({ tenant: acme, after: 0, limit: 1000 })).receipts.length;
    expect(await ledger().writeSetting(asked)).toEqual({ kind: 'conflict', revision: 1 });
    const { receipts } = await ledger().listReceipts({ tenant: acme, after: 0, limit: 1000 });
    expect(receipts).toHaveLength(before);
    expect(receipts.at(-1)).toMatchObject({ kind: 'admin', action: 'agent.put coder' });
  });

  it('lets one of many writers of the same revision win', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, value) =>
        ledger().writeSetting({ ...setting, key: 'raced', value, if_revision: 0 }),
      ),
    );
    expect(answers.filter((answer) => answer.kind === 'written')).toHaveLength(1);
  });

  it('lists tenants and keys in order and leaves out what was removed', async () => {
    for (const [tenant, key] of [
      [beta, 'a'],
      [acme, 'b'],
      [acme, 'a'],
    ] as const) {
      await ledger().writeSetting({ tenant, namespace: 'ordered', key, value: key, if_revision: 0 });
    }
    await ledger().writeSetting({
      tenant: acme,
      namespace: 'ordered',
      key: 'b',
      value: null,
      if_revision: 1,
    });
    const { settings } = await ledger().readSettings({ namespace: 'ordered' });
    expect(settings.map(({ tenant, key }) => `${tenant}/${key}`)).toEqual(['acme/a', 'beta/a']);
  });

  it('lists those of one tenant, or one of them, when asked so', async () => {
    for (const [tenant, key] of [
      [beta, 'a'],
      [acme, 'b'],
      [acme, 'a'],
    ] as const) {
      await ledger().writeSetting({ tenant, namespace: 'narrow', key, value: key, if_revision: 0 });
    }
    const read = async (ask: { tenant: typeof acme; key?: string }) => {
      const { settings } = await ledger().readSettings({ namespace: 'narrow', ...ask });
      return settings.map(({ tenant, key }) => `${tenant}/${key}`);
    };
    expect(await read({ tenant: acme })).toEqual(['acme/a', 'acme/b']);
    expect(await read({ tenant: acme, key: 'b' })).toEqual(['acme/b']);
    expect(await read({ tenant: beta, key: 'b' })).toEqual([]);
  });
});

inEveryPlace('kept calls', (ledger) => {
  it('keeps a view until it expires and forgets it then', async () => {
    const call = { tenant: acme, call_id: callId(), principal: 'User::"acme/ann"', expires_at: now + 10 };
    expect(await ledger().keepCall({ ...call, view_json: '{"secret":"squirrel"}' })).toEqual({ kept: true });
    expect(await ledger().readKeptCall({ ...call, now })).toEqual({
      kind: 'found',
      principal: call.principal,
      view_json: '{"secret":"squirrel"}',
    });
    expect(await ledger().readKeptCall({ ...call, tenant: beta, now })).toEqual({ kind: 'not_found' });
    expect(await ledger().readKeptCall({ ...call, now: now + 10 })).toEqual({ kind: 'not_found' });
    expect(await ledger().purgeExpired({ now: now + 10 })).toBe(1);
  });

  it('does not keep more than 1 MiB', async () => {
    const call = { tenant: acme, call_id: callId(), principal: 'User::"acme/ann"', expires_at: now + 10 };
    expect(await ledger().keepCall({ ...call, view_json: 'x'.repeat((1 << 20) + 1) })).toEqual({
      kept: false,
    });
    expect(await ledger().readKeptCall({ ...call, now })).toEqual({ kind: 'not_found' });
  });
});

inEveryPlace('idempotency keys', (ledger) => {
  const claim = () => ({
    tenant: acme,
    principal: 'User::"acme/ann"',
    key: callId(),
    request_digest: digestOf('1'),
    call_id: callId(),
    expires_at: now + 1_000,
    now,
  });

  it('gives the first claim of a key and its call to all later ones', async () => {
    const first = claim();
    expect(await ledger().claimKey(first)).toEqual({ kind: 'claimed' });
    expect(await ledger().claimKey({ ...first, call_id: callId() })).toEqual({
      kind: 'same',
      call_id: first.call_id,
    });
    expect(await ledger().claimKey({ ...first, request_digest: digestOf('2') })).toEqual({
      kind: 'other_request',
    });
    expect(await ledger().claimKey({ ...first, principal: 'User::"acme/bob"' })).toEqual({ kind: 'claimed' });
  });

  it('lets a key be claimed anew after it expired', async () => {
    const first = claim();
    await ledger().claimKey(first);
    const later = { ...claim(), key: first.key, now: now + 1_000, expires_at: now + 2_000 };
    expect(await ledger().claimKey(later)).toEqual({ kind: 'claimed' });
  });

  it('lets one claim instead of a call that ran nothing, once, and for the same request alone', async () => {
    const first = claim();
    await ledger().claimKey(first);
    const retries = [callId(), callId()].map((call_id) => ({ ...first, call_id, instead_of: first.call_id }));
    expect(await ledger().claimKey({ ...retries[0]!, request_digest: digestOf('2') })).toEqual({
      kind: 'other_request',
    });
    const answers = await Promise.all(retries.map((retry) => ledger().claimKey(retry)));
    expect(answers).toEqual([{ kind: 'claimed' }, { kind: 'same', call_id: retries[0]!.call_id }]);
    expect(await ledger().claimKey({ ...first, call_id: callId() })).toEqual(answers[1]);
  });

  it('lets one of many concurrent claims win and points the others at it', async () => {
    const first = claim();
    const calls = Array.from({ length: 50 }, callId);
    const answers = await Promise.all(calls.map((call_id) => ledger().claimKey({ ...first, call_id })));
    const winner = answers.findIndex((answer) => answer.kind === 'claimed');
    const others = answers.filter((_, index) => index !== winner);
    expect(others).toEqual(others.map(() => ({ kind: 'same', call_id: calls[winner] })));
  });
});
