import { setTimeout as delay } from 'node:timers/promises';
import type { Item } from '@uar/contracts';
import type { ItemEnded } from '../../../domain/item/item-desk.js';

/** Asked at once: an upstream's queue has room for few, and others need it too. */
const atOnce = 4;
const withinMs = 30_000;
const pauseMs = 1_000;

/**
 * Asks for the end of each subscription. Whoever counts subscribers counts on for ever what it is not told, so an ask that found
 * no room is made again, until half a minute has passed.
 */
export async function endSubscriptions(
  items: readonly Item[],
  end: (item: Item) => Promise<Pick<ItemEnded, 'outcome' | 'retryAfterMs'>>,
): Promise<void> {
  const left = [...items];
  const until = Date.now() + withinMs;
  const endSome = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined && Date.now() < until; item = left.shift()) {
      const { outcome, retryAfterMs = pauseMs } = await end(item);
      if (outcome !== 'overloaded' && outcome !== 'rate_limited') continue;
      left.push(item);
      await delay(Math.min(retryAfterMs, Math.max(0, until - Date.now())), undefined, { ref: false });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, endSome));
}
