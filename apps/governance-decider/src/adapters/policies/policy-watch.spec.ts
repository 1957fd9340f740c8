import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PolicyWatch } from './policy-watch.js';

let folder: string;
let watch: PolicyWatch;
let isStuck: boolean;
let reloads: number;
let given: AbortSignal[];
const problems: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watch-'));
  [isStuck, reloads, given] = [false, 0, []];
  problems.length = 0;
  watch = new PolicyWatch({
    ...{ folder, pollMs: 10, deadlineMs: 60 },
    fingerprint: () => Promise.resolve(String(reloads)),
    reload: ({ signal }) => {
      given.push(signal);
      if (isStuck) return new Promise<void>(() => undefined);
      reloads += 1;
      return Promise.resolve();
    },
    onProblem: (problem) => problems.push(problem),
  });
});

afterEach(async () => {
  await watch.stop();
  await rm(folder, { recursive: true });
});

it('starts although the first loading never ends, says so, and looks again', async () => {
  isStuck = true;
  await watch.start();
  expect(problems).toEqual(['the policies were not loaded within 60 ms: they are tried again']);
  expect(given[0]?.aborted).toBe(true);
  isStuck = false;
  await expect.poll(() => reloads).toBeGreaterThan(0);
});

it('ends at once while a loading never does', async () => {
  await watch.start();
  isStuck = true;
  const checked = watch.check({ again: true });
  await expect.poll(() => given.length).toBeGreaterThan(1);
  await watch.stop();
  await checked;
  expect(given.at(-1)?.aborted).toBe(true);
});

it('tells of a loading that fails, and looks again', async () => {
  let isBroken = true;
  const failing = new PolicyWatch({
    ...{ folder, pollMs: 10, deadlineMs: 1_000 },
    fingerprint: () => Promise.resolve(''),
    reload: () => (isBroken ? Promise.reject(new Error('out of order')) : Promise.resolve((reloads += 1))),
    onProblem: (problem) => problems.push(problem),
  });
  await failing.start();
  expect(problems).toEqual(['the policies were not loaded: out of order']);
  isBroken = false;
  await expect.poll(() => reloads).toBe(1);
  await failing.stop();
});
