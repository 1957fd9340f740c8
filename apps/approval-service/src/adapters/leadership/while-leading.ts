import type { Clock, DeliveryStore } from '../../domain/ports.js';
import type { Leadership } from '../../domain/leadership/leadership.js';

/** What another replica wrote is found so late at most, in milliseconds. */
const lookEveryMs = 1_000;

/** Work that answers when to come back (epoch milliseconds): done by the leader, which also looks for what others wrote. */
export function whileLeading(
  leadership: Leadership,
  clock: Clock,
  work: () => Promise<number | undefined>,
): () => Promise<number | undefined> {
  if (!leadership.hasRivals) return work;
  return async () => {
    const next = leadership.leads() ? await work() : undefined;
    return soonest(next, clock.now());
  };
}

/** An outbox in which only the leader finds something to send. */
export function outboxOfLeader(
  leadership: Leadership,
  store: Pick<DeliveryStore, 'dueDeliveries' | 'endAttempt'>,
): Pick<DeliveryStore, 'dueDeliveries' | 'endAttempt'> {
  if (!leadership.hasRivals) return store;
  return {
    endAttempt: (ask) => store.endAttempt(ask),
    async dueDeliveries(ask) {
      const { due, nextAt } = leadership.leads() ? await store.dueDeliveries(ask) : { due: [] };
      // A ledger that answered late may have cost the lead meanwhile.
      return { due: leadership.leads() ? due : [], nextAt: soonest(nextAt, ask.now) };
    },
  };
}

function soonest(at: number | undefined, now: number): number {
  return Math.min(at ?? Infinity, now + lookEveryMs);
}
