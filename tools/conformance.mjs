#!/usr/bin/env node
// `npm run conformance`: the official MCP conformance suite through the product (e2e/conformance), after whatever set-up is missing.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root, setUp, SetupFailed } from './setup.mjs';

try {
  await setUp({ say: (line) => process.stdout.write(`${line}\n`) });
} catch (error) {
  if (!(error instanceof SetupFailed)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
const { status } = spawnSync(process.execPath, [join(root, 'e2e', 'conformance', 'run.mjs')], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
