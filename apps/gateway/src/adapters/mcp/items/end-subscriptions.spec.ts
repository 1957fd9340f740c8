import type { Item, Outcome } from '@uar/contracts';
import { expect, it } from 'vitest';
import { endSubscriptions } from './end-subscriptions.js';

const items = Array.from({ length: 200 }, (_, at): Item => ({
  ...{ kind: 'resource', server: 'srv', id: `x:${at}` },
}));

it('asks for the end of each, a few at a time', async () => {
  let running = 0;
  let most = 0;
  const ended: string[] = [];
  await endSubscriptions(items, async ({ id }) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    ended.push(id);
    return { outcome: 'completed' };
  });
  expect([most, ended.length, new Set(ended).size]).toEqual([4, 200, 200]);
});

it('asks again where there was no room', async () => {
  const asked = new Map<string, number>();
  const refusals: readonly Outcome[] = ['overloaded', 'rate_limited'];
  await endSubscriptions(items.slice(0, 5), ({ id }) => {
    const times = asked.get(id) ?? 0;
    asked.set(id, times + 1);
    return Promise.resolve({ outcome: refusals[times] ?? 'completed', retryAfterMs: 1 });
  });
  expect([...asked.values()]).toEqual([3, 3, 3, 3, 3]);
});

it('asks once where the answer is another', async () => {
  let asked = 0;
  await endSubscriptions(items.slice(0, 1), () => {
    asked += 1;
    return Promise.resolve({ outcome: 'timeout' });
  });
  expect(asked).toBe(1);
});
