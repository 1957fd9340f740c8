#!/usr/bin/env node
// `npm run conformance`: the official MCP conformance suite through the product (e2e/conformance), after whatever set-up is missing.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installPeers } from './peers.mjs';
import { root, setUp, SetupFailed } from './setup.mjs';

try {
  const say = (line) => process.stdout.write(`${line}\n`);
  await installPeers({ say });
  await setUp({ say });
} catch (error) {
  if (!(error instanceof SetupFailed)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
const { status } = spawnSync(process.execPath, [join(root, 'e2e', 'conformance', 'run.mjs')], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
