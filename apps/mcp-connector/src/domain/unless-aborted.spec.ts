import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { unlessAborted } from './unless-aborted.js';

const never = new Promise<string>(() => undefined);

it('brings what the promise brings, and listens no more', async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve('lost'), signal)).toBe('lost');
  await expect(unlessAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('brings nothing once the signal aborts', async () => {
  const life = new AbortController();
  const waiting = unlessAborted(never, life.signal);
  life.abort();
  expect(await waiting).toBeUndefined();
  expect(getEventListeners(life.signal, 'abort')).toEqual([]);
});

it('takes the abort where both have come already', async () => {
  expect(await unlessAborted(Promise.resolve('lost'), AbortSignal.abort())).toBeUndefined();
});
