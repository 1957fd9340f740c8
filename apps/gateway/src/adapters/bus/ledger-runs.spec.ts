import type { Bus } from '@uar/bus';
import { RunId, StoredRun, putRun, readRun, runChanged } from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { HeldRun } from '../../domain/run/ports.js';
import { LedgerRuns } from './ledger-runs.js';

const run = StoredRun.parse({
  run_id: `run_${'1'.repeat(32)}`,
  tenant: 'acme',
  owner: {
    principal: {
      ...{ issuer: 'i', subject: 'ann', tenant: 'acme', kind: 'user', roles: [], groups: [], scopes: [] },
      ...{ mfa: false, claims: {}, expires_at: 1 },
    },
    channel: 'api',
  },
  ...{ status: 'active', scopes: {}, asks_always: false, created_at: 1, expires_at: 2 },
});

withBothBuses('runs as a gateway holds them', (connect) => {
  let ledger: Bus;
  let gateway: Bus;
  let kept: HeldRun | undefined;
  let reads: number;
  let now: number;
  let told: string[];
  let runs: LedgerRuns;

  beforeEach(async () => {
    [kept, reads, now, told] = [{ run, revision: 1 }, 0, 0, []];
    ledger = await connect('approval-service');
    gateway = await connect('gateway');
    ledger.answer(readRun, () => {
      reads += 1;
      return kept === undefined ? { kind: 'not_found' } : { kind: 'found', ...kept };
    });
    ledger.answer(putRun, ({ run: put, if_revision }) => {
      if (kept?.revision !== if_revision) return { kind: 'conflict', revision: kept?.revision ?? 0 };
      kept = { run: put, revision: if_revision + 1 };
      return { kind: 'written', revision: kept.revision };
    });
    await ledger.flush();
    runs = new LedgerRuns(gateway, () => now);
    await gateway.flush();
    runs.onChange((_, runId) => told.push(runId));
  });
  afterEach(async () => {
    runs.close();
    await gateway.close();
    await ledger.close();
  });

  const find = async () => {
    const found = await runs.find(run.tenant, run.run_id);
    return found.kind === 'found' ? found.held.run.status : found.kind;
  };
  const cancelBehindUs = () => {
    kept = { run: { ...run, status: 'cancelled' }, revision: 2 };
  };
  const announce = () => ledger.announce(runChanged, { tenant: run.tenant, run_id: run.run_id, revision: 2 });

  it('are read once while they are fresh', async () => {
    expect([await find(), await find(), reads]).toEqual(['active', 'active', 1]);
    expect(runs.find(run.tenant, run.run_id)).not.toBeInstanceOf(Promise);
  });

  it('are read again when they are announced to have changed, and that is told', async () => {
    await find();
    cancelBehindUs();
    announce();
    await expect.poll(() => told).toEqual([run.run_id]);
    expect([await find(), runs.peek(run.tenant, run.run_id)?.revision]).toEqual(['cancelled', 2]);
  });

  it('follow a change whose announcement was lost behind the next call that uses them', async () => {
    await find();
    cancelBehindUs();
    now = 5_000;
    expect(await find()).toBe('active');
    await expect.poll(find).toBe('cancelled');
  });

  it('are not used unread after half a minute, and not at all while nobody answers', async () => {
    await find();
    cancelBehindUs();
    now = 30_000;
    expect(await find()).toBe('cancelled');
    await ledger.close();
    expect(await find()).toBe('cancelled');
    now = 60_000;
    expect(await find()).toBe('unavailable');
  });

  it('are forgotten when the ledger has forgotten them', async () => {
    await find();
    kept = undefined;
    now = 30_000;
    expect([await find(), runs.peek(run.tenant, run.run_id), told]).toEqual([
      'not_found',
      undefined,
      [run.run_id],
    ]);
  });

  it('are written over what was seen, and held as written', async () => {
    const write = (ifRevision: number) =>
      runs.put({ run: { ...run, status: 'completed' }, ifRevision, keptUntil: 9 });
    expect(await write(0)).toEqual({ kind: 'conflict' });
    expect(await write(1)).toMatchObject({ kind: 'written', held: { revision: 2 } });
    expect([await find(), reads]).toEqual(['completed', 0]);
    await ledger.close();
    expect(await write(2)).toMatchObject({ kind: 'unavailable' });
  });

  it('of no such id are not found', async () => {
    kept = undefined;
    expect(await runs.find(run.tenant, RunId.parse(`run_${'2'.repeat(32)}`))).toEqual({ kind: 'not_found' });
  });
});
