import type { AttemptEnd } from '@uar/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Ledger } from '../ledger.js';
import { openLedger } from '../open-ledger.js';
import { atEveryPlace, type LedgerPlace } from './places.fixture.js';
import { acme, beta, draft, principal, receipt, startOfTime as now } from './samples.fixture.js';

const limits = { maxPending: 1_000, maxNewPerMinute: 1_000 };
const dayMs = 24 * 3_600_000;

/** A ledger of its own for each test: what is due is due to all. */
atEveryPlace('messages to the webhook', (placed, canReopen) => {
  let place: LedgerPlace;
  let ledger: Ledger;

  const open = (hasWebhook = true) => openLedger({ ...place.options, hasWebhook });
  beforeEach(async () => {
    place = await placed();
    ledger = await open();
  });
  afterEach(async () => {
    await ledger.close();
    place.remove();
  });

  async function created(requester = principal('ann')): Promise<string> {
    const made = await ledger.createApproval({ draft: draft({ requester }), limits, now });
    if (made.kind !== 'created') throw new Error(made.kind);
    return made.approval.draft.approval_id;
  }
  const move = (approvalId: string, to: 'approved' | 'cancelled' | 'consumed', from = ['pending'] as const) =>
    ledger.moveApproval({ approvalId, from, to, when: 'any', now });
  const all = async (tenant = acme) =>
    (await ledger.listDeliveries({ tenant, limit: 100 })).map((it) => [
      it.event,
      it.approvalStatus,
      it.status,
    ]);
  const due = (at = now, busy: string[] = []) => ledger.dueDeliveries({ now: at, busy, limit: 10 });
  const attemptsOf = async (deliveryId: string) =>
    (await ledger.listDeliveries({ tenant: acme, limit: 100 })).find((it) => it.deliveryId === deliveryId)
      ?.attempts ?? 0;
  const end = async (deliveryId: string, how: AttemptEnd, at = now) =>
    ledger.endAttempt({ deliveryId, attempts: await attemptsOf(deliveryId), end: how, now: at });

  async function onlyDue(at = now) {
    const [first, ...others] = (await due(at)).due;
    if (first === undefined || others.length > 0) throw new Error(`${others.length + 1} are due`);
    return first.delivery;
  }

  it('are written with each step of an approval, and not with those that changed nothing', async () => {
    const approvalId = await created();
    await move(approvalId, 'approved');
    await move(approvalId, 'approved');
    await ledger.moveApproval({ approvalId, from: ['approved'], to: 'consumed', when: 'any', now });
    const other = await created();
    const vote = { voter: principal('bob'), decision: 'approve' as const };
    await ledger.recordVote({ approvalId: other, vote, receipt: receipt(), now });
    const no = { voter: principal('cyd'), decision: 'reject' as const };
    await ledger.recordVote({ approvalId: other, vote: no, receipt: receipt(), to: 'rejected', now });
    expect(await all()).toEqual([
      ['approval.settled', 'rejected', 'pending'],
      ['approval.required', 'pending', 'pending'],
      ['approval.settled', 'approved', 'pending'],
      ['approval.required', 'pending', 'pending'],
    ]);
  });

  it('tell of what expired while nobody was there', async () => {
    await created();
    await ledger.expireApprovals({ now: now + dayMs });
    expect(await all()).toContainEqual(['approval.settled', 'expired', 'pending']);
  });

  it('are not written where no webhook is configured', async () => {
    await ledger.close();
    ledger = await open(false);
    await move(await created(), 'cancelled');
    expect(await all()).toEqual([]);
  });

  it('take no failure of an attempt that others have followed, and every delivery', async () => {
    await created();
    const { deliveryId } = await onlyDue();
    const attempt = (attempts: number, how: AttemptEnd) =>
      ledger.endAttempt({ deliveryId, attempts, end: how, now });
    const again: AttemptEnd = { kind: 'again', at: now + 60_000, problem: 'answered 500' };
    await attempt(0, again);
    await attempt(0, { kind: 'dead', problem: 'answered 400' });
    expect(await onlyDue(now + 60_000)).toMatchObject({
      status: 'pending',
      attempts: 1,
      dueAt: now + 60_000,
    });
    await attempt(0, { kind: 'delivered' });
    expect((await due(now + 60_000)).due).toEqual([]);
    await attempt(1, again);
    expect(await all()).toEqual([['approval.required', 'pending', 'delivered']]);
  });

  it('go one at a time and in order for each approval, and past one that is busy', async () => {
    const first = await created();
    await move(first, 'cancelled');
    const second = await created();
    const { due: ready } = await due();
    expect(ready.map(({ delivery, approval }) => [delivery.event, approval.draft.approval_id])).toEqual([
      ['approval.required', first],
      ['approval.required', second],
    ]);
    expect((await due(now, [first])).due.map(({ delivery }) => delivery.approvalId)).toEqual([second]);
    await end(ready[0]?.delivery.deliveryId ?? '', { kind: 'delivered' });
    const after = (await due(now, [second])).due;
    expect(after.map(({ delivery }) => delivery.event)).toEqual(['approval.settled']);
  });

  it('wait together: what comes after a message that failed is not sent before it', async () => {
    const approvalId = await created();
    const required = await onlyDue();
    await end(required.deliveryId, { kind: 'again', at: now + 5_000, problem: 'answered 500' });
    await move(approvalId, 'cancelled');
    expect(await due(now + 4_999)).toEqual({ due: [], nextAt: now + 5_000 });
    expect(await onlyDue(now + 5_000)).toMatchObject({ event: 'approval.required', attempts: 1 });
    await end(required.deliveryId, { kind: 'dead', problem: 'answered 410' }, now + 5_000);
    expect(await onlyDue(now + 5_000)).toMatchObject({ event: 'approval.settled', attempts: 0 });
  });

  it('end once: a late word changes nothing', async () => {
    await created();
    const { deliveryId } = await onlyDue();
    await end(deliveryId, { kind: 'delivered' });
    await end(deliveryId, { kind: 'dead', problem: 'late' });
    await end('whk_none', { kind: 'delivered' });
    const [kept] = await ledger.listDeliveries({ tenant: acme, limit: 10 });
    expect(kept).toMatchObject({ status: 'delivered', attempts: 1, endedAt: now });
    expect(kept).not.toHaveProperty('problem');
  });

  it('are sent again on request of their own tenant, once they were given up, with a receipt', async () => {
    await created();
    const { deliveryId } = await onlyDue();
    const retry = (tenant = acme) =>
      ledger.retryDelivery({ tenant, deliveryId, receipt: receipt({ kind: 'admin' }), now: now + 9 });
    expect(await retry()).toEqual({ kind: 'not_dead', status: 'pending' });
    await end(deliveryId, { kind: 'dead', problem: 'answered 410' });
    expect(await retry(beta)).toEqual({ kind: 'not_found' });
    expect((await ledger.verifyReceipts({ tenant: acme })).length).toBe(0);
    expect(await retry()).toMatchObject({
      kind: 'retried',
      delivery: { status: 'pending', attempts: 0, dueAt: now + 9 },
    });
    expect((await ledger.verifyReceipts({ tenant: acme })).length).toBe(1);
    expect(await onlyDue(now + 9)).toMatchObject({ deliveryId });
  });

  it('are listed by tenant and status, newest first, in pages', async () => {
    for (const each of [1, 2, 3]) await created(principal(`lister-${each}`, beta));
    await created();
    const [newest, ...rest] = await ledger.listDeliveries({ tenant: beta, limit: 10 });
    expect(rest).toHaveLength(2);
    const page = await ledger.listDeliveries({
      tenant: beta,
      limit: 1,
      ...(newest && { before: newest.seq }),
    });
    expect(page).toEqual(rest.slice(0, 1));
    expect(await ledger.listDeliveries({ tenant: beta, status: 'dead', limit: 10 })).toEqual([]);
    expect(await ledger.listDeliveries({ tenant: beta, status: 'pending', limit: 10 })).toHaveLength(3);
  });

  it('are forgotten after seven days, whatever became of them', async () => {
    await created();
    await ledger.purgeExpired({ now: now + 7 * dayMs });
    expect(await all()).toHaveLength(1);
    await ledger.purgeExpired({ now: now + 7 * dayMs + 1 });
    expect(await all()).toEqual([]);
  });

  it('outlive a restart', async () => {
    if (!canReopen) return;
    await created();
    const before = await onlyDue();
    await ledger.close();
    ledger = await open();
    expect(await onlyDue()).toEqual(before);
  });
});
