#!/usr/bin/env node
// npm run bench [name ...]: runs the benchmarks in bench/ one after the other, on a built tree.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const known = [
  'governed-call',
  'decision',
  'decision-bus',
  'argument-bombs',
  'engine',
  'approved-call',
  'idle-sessions',
  'tool-lists',
];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0 || wanted.includes('--help')) {
  console.error(`usage: npm run bench -- [${known.join('|')}] ...   (all when none is named)`);
  process.exit(wanted.includes('--help') ? 0 : 2);
}
for (const name of wanted.length > 0 ? wanted : known) {
  console.log(`\n== ${name}\n`);
  const script = fileURLToPath(new URL(`../bench/${name}.mjs`, import.meta.url));
  const { status } = spawnSync(process.execPath, ['--no-turbo-inline-js-wasm-calls', script], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
