import { RunId, StoredRun } from '@uar/contracts';
import { expect, it } from 'vitest';
import { inEveryPlace } from './places.fixture.js';
import { acme, beta, principal, receipt, startOfTime as now } from './samples.fixture.js';

inEveryPlace('runs', (ledger) => {
  let made = 0;
  const newRun = (changes: object = {}): StoredRun =>
    StoredRun.parse({
      run_id: RunId.parse(`run_${(++made).toString(16).padStart(32, '0')}`),
      tenant: acme,
      owner: { principal: principal('ann'), channel: 'api' },
      status: 'active',
      scopes: { turn: { tools: { mode: 'selected', ids: [] } } },
      asks_always: false,
      created_at: now,
      expires_at: now + 10,
      ...changes,
    });
  const put = (run: StoredRun, if_revision: number, kept_until = now + 10) =>
    ledger().putRun({ run, if_revision, kept_until });

  it('gives a run back as it was put, in its own tenant only', async () => {
    const run = newRun();
    expect(await put(run, 0)).toEqual({ kind: 'written', revision: 1 });
    expect(await ledger().readRun({ tenant: acme, run_id: run.run_id })).toEqual({
      kind: 'found',
      run,
      revision: 1,
    });
    expect(await ledger().readRun({ tenant: beta, run_id: run.run_id })).toEqual({ kind: 'not_found' });
  });

  it('is written only over the revision the writer has seen', async () => {
    const run = newRun();
    await put(run, 0);
    expect(await put(run, 0)).toEqual({ kind: 'conflict', revision: 1 });
    expect(await put({ ...run, status: 'cancelled' }, 1)).toEqual({ kind: 'written', revision: 2 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => put(run, 2)));
    expect(answers.filter(({ kind }) => kind === 'written')).toHaveLength(1);
  });

  it('writes a receipt with the run, or neither', async () => {
    const run = newRun();
    const admin = receipt({ kind: 'admin', action: `run.cancel ${run.run_id}` });
    const ask = { run, if_revision: 0, kept_until: now + 10, receipt: admin };
    const count = async () =>
      (await ledger().listReceipts({ tenant: acme, after: 0, limit: 1000 })).receipts.length;
    const before = await count();
    expect(await ledger().putRun(ask)).toMatchObject({ receipt: { seq: before + 1 } });
    expect(await ledger().putRun(ask)).toEqual({ kind: 'conflict', revision: 1 });
    expect(await count()).toBe(before + 1);
  });

  it('forgets a run when its time to be kept is over, not before', async () => {
    const run = newRun();
    await put(run, 0, now + 50);
    await ledger().purgeExpired({ now: now + 49 });
    expect(await ledger().readRun(run)).toMatchObject({ kind: 'found' });
    await ledger().purgeExpired({ now: now + 50 });
    expect(await ledger().readRun(run)).toEqual({ kind: 'not_found' });
  });
});
