import { describe, expect, it } from 'vitest';
import { draft } from '../../contract-spec/samples.fixture.js';
import { alone } from '../../domain/leadership/leadership.js';
import type { DueDelivery } from '../../domain/ports.js';
import { outboxOfLeader, whileLeading } from './while-leading.js';

const clock = { now: () => 10_000 };

function among(leads: boolean) {
  return { leads: () => leads, hasRivals: true };
}

describe('work among replicas', () => {
  it('is done by the leader alone, which comes back within a second', async () => {
    let done = 0;
    const work = (next?: number) => () => {
      done += 1;
      return Promise.resolve(next);
    };
    expect(await whileLeading(among(false), clock, work(10_500))()).toBe(11_000);
    expect(done).toBe(0);
    expect(await whileLeading(among(true), clock, work())()).toBe(11_000);
    expect(await whileLeading(among(true), clock, work(10_500))()).toBe(10_500);
    expect(await whileLeading(among(true), clock, work(99_000))()).toBe(11_000);
    expect(done).toBe(3);
  });

  it('comes back when there is something to do where there is nobody else', async () => {
    expect(await whileLeading(alone, clock, () => Promise.resolve(99_000))()).toBe(99_000);
    expect(await whileLeading(alone, clock, () => Promise.resolve(undefined))()).toBe(undefined);
  });
});

const { approval_id: approvalId, requester } = draft();
const one: DueDelivery = {
  delivery: {
    ...{ deliveryId: 'whk_1', seq: 1, tenant: requester.tenant, approvalId, event: 'approval.required' },
    ...{ approvalStatus: 'pending', status: 'pending', attempts: 0, createdAt: 1_000, dueAt: 1_000 },
  },
  approval: { draft: draft(), status: 'pending', createdAt: 1_000, votes: [] },
};

describe('the outbox', () => {
  let readings = 0;
  const store = {
    dueDeliveries: () => {
      readings += 1;
      return Promise.resolve({ due: [], nextAt: 99_000 });
    },
    endAttempt: () => Promise.resolve(),
  };
  const ask = { now: 10_000, busy: [], limit: 4 };
  const nothingYet = { due: [], nextAt: 11_000 };

  it('is read by the leader alone, and asked for again within a second by everybody', async () => {
    expect(await outboxOfLeader(among(false), store).dueDeliveries(ask)).toEqual(nothingYet);
    expect(readings).toBe(0);
    expect(await outboxOfLeader(among(true), store).dueDeliveries(ask)).toEqual(nothingYet);
    expect(readings).toBe(1);
  });

  it('is empty for one that lost the lead while it was read', async () => {
    const answers = [true, false];
    const losing = { leads: () => answers.shift() ?? false, hasRivals: true };
    const full = { ...store, dueDeliveries: () => Promise.resolve({ due: [one], nextAt: 99_000 }) };
    expect((await outboxOfLeader(among(true), full).dueDeliveries(ask)).due).toEqual([one]);
    expect(await outboxOfLeader(losing, full).dueDeliveries(ask)).toEqual(nothingYet);
  });

  it('is the ledger’s own where there is nobody else', () => {
    expect(outboxOfLeader(alone, store)).toBe(store);
  });
});
