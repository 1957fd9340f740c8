import { TenantId, type AccountId } from '@uar/contracts';
import { expect, it } from 'vitest';
import { openLedger } from '../open-ledger.js';
import { inEveryLastingPlace, inEveryPlace } from './places.fixture.js';
import { acme, beta, digestOf, receipt, startOfTime as now } from './samples.fixture.js';

const binding = digestOf('one');
const one = '1'.repeat(16);
const two = '2'.repeat(16);
let made = 0;
const server = (): string => `server-${(made += 1)}`;

inEveryPlace('accounts', (ledger) => {
  const write = async (account: AccountId, sealed: string | undefined, if_revision: number) =>
    await ledger().writeAccount({
      ...{ account, binding, if_revision },
      ...(sealed === undefined ? {} : { sealed }),
    });
  const stored = async (account: AccountId) => (await ledger().readAccount({ account })).stored;
  const lease = async (account: AccountId, holder: string, at = now, if_revision = 0, lease_ms = 30_000) =>
    await ledger().leaseAccount({ account, holder, lease_ms, if_revision, now: at });

  it('keep what was sealed, apart for tenant, server and principal, and write only over what was seen', async () => {
    const account = { tenant: acme, server: server() };
    const others = [
      { ...account, tenant: beta },
      { ...account, server: server() },
      { ...account, principal: 'acme/ada' },
    ];
    expect(await stored(account)).toEqual({ revision: 0 });
    expect(await write(account, 'a', 0)).toEqual({ kind: 'written', revision: 1 });
    expect(await stored(account)).toEqual({ revision: 1, binding, sealed: 'a' });
    expect(await write(account, 'b', 0)).toEqual({
      kind: 'conflict',
      stored: { revision: 1, binding, sealed: 'a' },
    });
    for (const other of others) expect(await stored(other)).toEqual({ revision: 0 });
  });

  it('are written with the receipt of whoever decided it, or neither is', async () => {
    const tenant = TenantId.parse(`tenant-${server()}`);
    const ask = { account: { tenant, server: server() }, binding, sealed: 'a' };
    const body = receipt({ kind: 'admin', tenant, action: 'server.connect notes' });
    expect((await ledger().writeAccount({ ...ask, if_revision: 1, receipt: body })).kind).toBe('conflict');
    expect((await ledger().listReceipts({ tenant, after: 0, limit: 9 })).receipts).toEqual([]);
    await ledger().writeAccount({ ...ask, if_revision: 0, receipt: body });
    const { receipts } = await ledger().listReceipts({ tenant, after: 0, limit: 9 });
    expect(receipts.map(({ action }) => action)).toEqual(['server.connect notes']);
  });

  it('count on over what was forgotten, so that nobody who saw it before writes over what came after', async () => {
    const account = { tenant: acme, server: server(), principal: 'acme/ada' };
    await write(account, 'a', 0);
    expect(await write(account, undefined, 1)).toEqual({ kind: 'written', revision: 2 });
    expect(await stored(account)).toEqual({ revision: 2, binding });
    expect((await write(account, 'late', 1)).kind).toBe('conflict');
  });

  it('are leased to one at a time, until it writes, gives the lease back or its time is over', async () => {
    const account = { tenant: acme, server: server() };
    const asked = await Promise.all([one, two].map((holder) => lease(account, holder)));
    expect(asked.map(({ kind }) => kind).toSorted()).toEqual(['held', 'leased']);
    const [winner, loser] = asked[0]?.kind === 'leased' ? [one, two] : [two, one];
    expect(await lease(account, loser, now + 1_000)).toEqual({ kind: 'held', free_in_ms: 29_000 });
    expect(await lease(account, winner, now + 1_000)).toEqual({ kind: 'leased' });
    expect(await lease(account, loser, now + 31_000)).toEqual({ kind: 'leased' });
    await write(account, 'a', 0);
    expect(await lease(account, loser, now + 31_000)).toEqual({
      kind: 'moved',
      stored: { revision: 1, binding, sealed: 'a' },
    });
    expect(await lease(account, winner, now + 31_000, 1)).toEqual({ kind: 'leased' });
    expect(await lease(account, winner, now + 31_000, 1, 0)).toEqual({ kind: 'leased' });
    expect(await lease(account, loser, now + 31_000, 1)).toEqual({ kind: 'leased' });
  });

  it('are not held for ever by a clock that was far ahead', async () => {
    const account = { tenant: acme, server: server() };
    await lease(account, one, now + 365 * 86_400_000);
    expect(await lease(account, two)).toEqual({ kind: 'leased' });
  });

  it('are forgotten with their server, in whatever way it is removed, and with no other', async () => {
    for (const removed of [{ kind: 'deleted' }, null]) {
      const [name, neighbour] = [server(), server()];
      const accounts = [undefined, 'acme/ada'].map((principal) => ({
        ...{ tenant: acme, server: name },
        ...(principal === undefined ? {} : { principal }),
      }));
      const kept = [
        { tenant: acme, server: neighbour },
        { tenant: beta, server: name },
      ];
      for (const account of [...accounts, ...kept]) await write(account, 'a', 0);
      const setting = { tenant: acme, namespace: 'server', key: name };
      await ledger().writeSetting({ ...setting, value: { kind: 'server', sealed: 'x' }, if_revision: 0 });
      for (const account of accounts) expect(await stored(account)).toMatchObject({ sealed: 'a' });
      await ledger().writeSetting({ ...setting, value: removed, if_revision: 1 });
      for (const account of accounts) expect(await stored(account)).toEqual({ revision: 2 });
      for (const account of kept) expect(await stored(account)).toMatchObject({ sealed: 'a' });
      for (const account of accounts) expect((await write(account, 'late', 1)).kind).toBe('conflict');
    }
  });
});

inEveryPlace('authorizations', (ledger) => {
  const account = { tenant: acme, server: 'notes', principal: 'acme/ada' };
  const keep = async (name: string, expires_at = now + 60_000, of: AccountId = account) =>
    await ledger().keepAuthorization({
      ...{ state_digest: digestOf(name), account: of, sealed: name, expires_at },
    });
  const take = async (name: string, at = now) =>
    await ledger().takeAuthorization({ state_digest: digestOf(name), now: at });

  it('are given out once, and told apart from those that nobody began', async () => {
    await keep('once');
    const all = await Promise.all(Array.from({ length: 20 }, () => take('once')));
    expect(all.filter(({ kind }) => kind === 'taken')).toEqual([{ kind: 'taken', account, sealed: 'once' }]);
    expect(all.filter(({ kind }) => kind === 'used')).toHaveLength(19);
    expect(await take('never')).toEqual({ kind: 'unknown' });
  });

  it('expire, which is known for an hour', async () => {
    await keep('late', now);
    expect(await take('late')).toEqual({ kind: 'expired' });
    await ledger().purgeExpired({ now: now + 3_599_999 });
    expect(await take('late')).toEqual({ kind: 'used' });
    await ledger().purgeExpired({ now: now + 3_600_000 });
    expect(await take('late')).toEqual({ kind: 'unknown' });
  });

  it('stay open for the latest eight of an account, and end with its server', async () => {
    const of = { tenant: acme, server: 'crowded' };
    for (let nth = 0; nth < 10; nth++) await keep(`crowd-${nth}`, now + 60_000 + nth, of);
    expect(await take('crowd-1')).toEqual({ kind: 'unknown' });
    expect(await take('crowd-2')).toEqual({ kind: 'taken', account: of, sealed: 'crowd-2' });
    const setting = { tenant: acme, namespace: 'server', key: 'crowded' };
    await ledger().writeSetting({ ...setting, value: { kind: 'deleted' }, if_revision: 0 });
    expect(await take('crowd-3')).toEqual({ kind: 'unknown' });
  });
});

inEveryLastingPlace('accounts', (placed) =>
  it('survive a restart', async () => {
    const place = await placed();
    const account = { tenant: acme, server: 'notes' };
    const first = await openLedger(place.options);
    await first.writeAccount({ account, binding, sealed: 'a', if_revision: 0 });
    await first.close();
    const second = await openLedger(place.options);
    expect(await second.readAccount({ account })).toEqual({ stored: { revision: 1, binding, sealed: 'a' } });
    await second.close();
    place.remove();
  }),
);
