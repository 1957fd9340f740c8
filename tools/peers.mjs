// MCP clients and servers of others, which the e2e tests meet: installed into e2e/peers, away from what the product is made of.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root, SetupFailed } from './setup.mjs';

const folder = join(root, 'e2e', 'peers');

/** Why they are not there; undefined when they are. */
export async function installPeers({ say }) {
  const installed = join(folder, 'node_modules', '.package-lock.json');
  const lock = join(folder, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return undefined;
  say('installing MCP clients and servers of others for the e2e tests (npm ci in e2e/peers)');
  try {
    await npm(['ci', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']);
    return undefined;
  } catch (error) {
    if (!(error instanceof SetupFailed)) throw error;
    return `npm ci in e2e/peers failed: ${error.message}`;
  }
}
