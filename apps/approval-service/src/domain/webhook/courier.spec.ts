import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { draft } from '../../contract-spec/samples.fixture.js';
import type { DueDelivery } from '../ports.js';
import { Courier, type CourierParts } from './courier.js';

const due: DueDelivery = {
  delivery: {
    deliveryId: `whk_${'a'.repeat(32)}`,
    seq: 1,
    tenant: draft().requester.tenant,
    approvalId: draft().approval_id,
    event: 'approval.required',
    approvalStatus: 'pending',
    status: 'pending',
    attempts: 0,
    createdAt: 1_000,
    dueAt: 1_000,
  },
  approval: { draft: draft(), status: 'pending', createdAt: 1_000, votes: [] },
};

/** Sends one message again and again, since its end can never be recorded; `sent` is told of each attempt. */
function courier(sent: (signal: AbortSignal) => void, after: CourierParts['after']): Courier {
  return new Courier({
    store: {
      dueDeliveries: ({ busy }) => Promise.resolve({ due: busy.length === 0 ? [due] : [] }),
      endAttempt: () => Promise.reject(new Error('read only')),
    },
    receiver: {
      send: (_message, signal) => {
        sent(signal);
        return Promise.resolve({ kind: 'answered', status: 204 });
      },
    },
    clock: { now: () => 1_000 },
    watch: { attempted: () => undefined, gaveUp: () => undefined, troubled: () => undefined },
    after,
    chance: () => 0.5,
  });
}

describe('a courier whose ledger cannot be written', () => {
  it('keeps nothing of the pauses that are over', async () => {
    const waiting: number[] = [];
    let enough = (): void => undefined;
    const tried = new Promise<void>((resolve) => (enough = resolve));
    const one = courier(
      (signal) => {
        waiting.push(getEventListeners(signal, 'abort').length);
        if (waiting.length === 20) enough();
      },
      (_ms, listener) => {
        const timer = setImmediate(listener);
        return () => clearImmediate(timer);
      },
    );
    one.start();
    await tried;
    await one.stop();
    expect(waiting.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 0));
  });

  it('does not wait for the end of a pause once it is to stop', async () => {
    let paused = (): void => undefined;
    const pausing = new Promise<void>((resolve) => (paused = resolve));
    let isStopped = false;
    const one = courier(
      () => undefined,
      () => {
        paused();
        return () => (isStopped = true);
      },
    );
    one.start();
    await pausing;
    await one.stop();
    expect(isStopped).toBe(true);
  });
});
