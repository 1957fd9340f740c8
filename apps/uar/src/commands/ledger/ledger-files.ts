import { createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formatProblems, loadConfig, type ResolvedConfig } from '@uar/config';
import { readPrivateKey } from '@uar/keys';
import type { CopyProgress, Verifications } from '@uar/ledger';
import { CommandFailure, exit, type World } from '../../world.js';

/** Where the ledger of this machine is, and the key that signs its heads. */
export interface LedgerFiles {
  readonly config: ResolvedConfig;
  readonly file: string;
  readonly headsFile: string;
  readonly signingKey: KeyObject;
  readonly publicKeys: readonly KeyObject[];
}

export function ledgerFiles(world: World): LedgerFiles {
  const loaded = loadConfig({ env: world.env, cwd: world.cwd, generate: false });
  if (loaded.kind === 'bad')
    throw new CommandFailure(exit.failed, `the configuration is bad:\n${formatProblems(loaded.problems)}`);
  const { config } = loaded;
  const keyFile = config.keys.receipt_private_file;
  if (!existsSync(keyFile))
    throw new CommandFailure(
      exit.failed,
      `there is no key at ${keyFile}: put the keys folder back that was kept apart from the ledger, ` +
        'or name another data folder with UAR_DATA_DIR',
    );
  const signingKey = readPrivateKey(keyFile);
  return {
    config,
    file: join(config.data_dir, config.ledger.file),
    headsFile: join(config.data_dir, 'heads.jsonl'),
    signingKey,
    publicKeys: [createPublicKey(signingKey)],
  };
}

const everyMs = 1_000;

/** A line on stderr about once a second, while something takes longer than that. */
export function progressLines(world: World): (step: CopyProgress) => void {
  let saidAt = Date.now();
  return (step) => {
    if (Date.now() - saidAt < everyMs) return;
    saidAt = Date.now();
    if (step.kind === 'verifying') world.err('verifying the chains\n');
    else world.err(`copied ${Math.floor((100 * step.done) / Math.max(1, step.of))} %\n`);
  };
}

/** Verification per tenant as the JSON output shows it. */
export function chainRows(chains: Verifications) {
  return [...chains].map(([tenant, verification]) => ({ tenant, ...verification }));
}
