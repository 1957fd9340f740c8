#!/usr/bin/env node
// npm run nightly: what is too long for every change. Repeats the whole-product scenarios that kill processes, kills and
// stops the services of a plane for a quarter of an hour on each ledger, proves the PDP on ten times the cases, then runs the benchmarks (a million questions to one instance among them).
import { spawnSync } from 'node:child_process';

const rounds = Number(process.env.NIGHTLY_ROUNDS ?? 5);
const steps = [
  ['npm', ['test']],
  ['npm', ['run', 'e2e']],
  ['npm', ['run', 'e2e'], { UAR_E2E_LEDGER: 'sqlite' }],
  ...Array.from({ length: rounds }, () => ['npx', ['vitest', 'run', '--project', 'e2e', 'chaos', 'servers']]),
  ...['sqlite', 'postgres'].map((ledger) => [
    'npm',
    ['run', 'chaos', '--', '--ledger', ledger, '--seconds', process.env.NIGHTLY_CHAOS_SECONDS ?? '900'],
  ]),
  ['npm', ['run', 'proofs'], { UAR_PROOF_SCALE: '100' }],
  ['npm', ['run', 'bench']],
];

const failed = [];
for (const [command, args, env] of steps) {
  const name = [command, ...args].join(' ');
  console.log(`\n== ${name}\n`);
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  if (status !== 0) failed.push(name);
}
console.log(failed.length === 0 ? '\nnightly: all steps passed' : `\nnightly: failed: ${failed.join('; ')}`);
process.exit(failed.length === 0 ? 0 : 1);
