import { createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  formatProblems,
  ledgerPlace,
  loadConfig,
  redactUrls,
  type LedgerPlace,
  type ResolvedConfig,
} from '@uar/config';
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

/** The same of a ledger that is a file. */
export interface LedgerFiles extends ConfiguredLedger {
  readonly file: string;
  readonly headsFile: string;
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

/** Refused for a ledger in PostgreSQL, which has tools of its own for this. */
export function ledgerFiles(world: World): LedgerFiles {
  const ledger = configuredLedger(world);
  if (ledger.place.kind === 'sqlite') return { ...ledger, ...ledger.place };
  throw new CommandFailure(
    exit.failed,
    `the ledger is in PostgreSQL (${redactUrls(ledger.place.url)}): back it up with pg_dump, put it back with pg_restore ` +
      'while the product is stopped, then run uar ledger check (docs/ledger.md)',
  );
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
