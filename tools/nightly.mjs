#!/usr/bin/env node
// npm run nightly: what is too long for every change. Repeats the whole-product scenarios that kill processes, then runs the benchmarks.
import { spawnSync } from 'node:child_process';

const rounds = Number(process.env.NIGHTLY_ROUNDS ?? 5);
const steps = [
  ['npm', ['test']],
  ['npm', ['run', 'e2e']],
  ...Array.from({ length: rounds }, () => ['npx', ['vitest', 'run', '--project', 'e2e', 'chaos', 'servers']]),
  ['npm', ['run', 'bench']],
];

const failed = [];
for (const [command, args] of steps) {
  const name = [command, ...args].join(' ');
  console.log(`\n== ${name}\n`);
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) failed.push(name);
}
console.log(failed.length === 0 ? '\nnightly: all steps passed' : `\nnightly: failed: ${failed.join('; ')}`);
process.exit(failed.length === 0 ? 0 : 1);
