import { definitionDigest } from '@uar/catalog';
import { expect, it } from 'vitest';
import { systemClock } from '../../adapters/system-clock.js';
import { readToolList } from './tool-list.js';

it('lets other work run while it reads one page of 5,000 tools, and reads it whole (O2)', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`property_${index}`, { type: 'string', description: 'd' }]),
  );
  const definitions = Array.from({ length: 5_000 }, (_, index) =>
    JSON.stringify({ name: `t${index}`, inputSchema: { type: 'object', properties } }),
  );
  const slices: number[] = [];
  // Time of the processor, not of the wall: what else the machine does is not measured.
  let before = process.cpuUsage();
  const read = await readToolList({
    upstream: { listPage: () => Promise.resolve({ kind: 'page', definitions }) },
    digestOf: definitionDigest,
    clock: {
      now: systemClock.now,
      wait: async (ms, signal) => {
        const { user, system } = process.cpuUsage(before);
        slices.push((user + system) / 1_000);
        await systemClock.wait(ms, signal);
        before = process.cpuUsage();
      },
    },
    signal: new AbortController().signal,
  });
  expect(read.kind === 'list' && read.list.tools.size).toBe(5_000);
  expect(read.kind === 'list' && read.list.incomplete).toBeUndefined();
  expect(slices.length).toBeGreaterThan(10);
  expect(Math.max(...slices)).toBeLessThan(100);
}, 60_000);
