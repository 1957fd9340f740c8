import { createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { formatProblems, ledgerPlace, loadConfig, type LedgerPlace, type ResolvedConfig } from '@uar/config';
import { readPrivateKey } from '@uar/keys';
import type { CopyProgress, Verifications } from '@uar/ledger';
import { CommandFailure, errorCode, exit, type World } from '../../world.js';

/** The configuration of this machine, where its ledger is, and the key that signs its heads. */
export interface ConfiguredLedger {
  readonly config: ResolvedConfig;
  readonly place: LedgerPlace;
  readonly signingKey: KeyObject;
  readonly publicKeys: readonly KeyObject[];
}

export function configuredLedger(world: World): ConfiguredLedger {
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
  return { config, place: placeOf(config), signingKey, publicKeys: [createPublicKey(signingKey)] };
}

export function placeOf(config: ResolvedConfig): LedgerPlace {
  try {
    return ledgerPlace(config);
  } catch (error) {
    const file = config.ledger.password_file ?? '';
    throw new CommandFailure(
      exit.failed,
      `ledger.password_file: ${file} cannot be read (${errorCode(error)})`,
    );
  }
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
