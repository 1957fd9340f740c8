import { createPublicKey, type KeyObject } from 'node:crypto';
import { KnownHeads } from '../chain/known-heads.js';
import { verifyHeldChains, type Verifications } from '../chain/verify-held.js';
import { checkOpening, type PostgresAccess } from '../postgres/engine.js';
import { verifyPostgres } from '../postgres/verify.js';
import { sqliteDriver } from '../sqlite/sqlite-driver.js';
import { heldChains } from '../operations/held-chains.js';
import { checkPages, stampOf, verifyBackup, withLedger, type CopyProgress } from './ledger-copy.js';

export type CheckOptions = {
  readonly publicKeys: readonly KeyObject[];
  progress?(step: CopyProgress): void;
} & ({ readonly file: string; readonly headsFile: string } | PostgresAccess);

export interface LedgerCheck {
  /** When the file was made, if it is a backup. */
  readonly backupAt?: string;
  readonly chains: Verifications;
}

/**
 * Pages, indexes and chains of a ledger file, in use or not, against its heads file; a backup against the heads it carries;
 * of a ledger in Postgres what its opening looks at, and the chains against its signed heads. Blocks while it works.
 * Throws `LedgerError` for a file that is no sound ledger; a broken chain is an answer.
 */
export function checkLedger(options: CheckOptions): LedgerCheck {
  return 'url' in options ? checkPostgres(options) : checkFile(options);
}

function checkFile(options: Extract<CheckOptions, { file: string }>): LedgerCheck {
  return withLedger(options.file, (database) => {
    checkPages(database);
    options.progress?.({ kind: 'verifying' });
    const publicKeys = options.publicKeys.map(publicHalf);
    const stamp = stampOf(database);
    if (stamp) return { backupAt: stamp.at, chains: verifyBackup(database, stamp.heads, publicKeys) };
    const sql = sqliteDriver(database);
    const held = heldChains(sql);
    const heads = new KnownHeads({ headsFile: options.headsFile, publicKeys }, held.headLines);
    return { chains: verifyHeldChains(sql, { heads, publicKeys, lengths: held.lengths }) };
  });
}

function checkPostgres({
  publicKeys,
  progress,
  ...where
}: Extract<CheckOptions, PostgresAccess>): LedgerCheck {
  const keys = publicKeys.map(publicHalf);
  checkOpening(where, keys);
  progress?.({ kind: 'verifying' });
  return { chains: verifyPostgres({ ...where, publicKeys: keys }) };
}

function publicHalf(key: KeyObject): KeyObject {
  return key.type === 'private' ? createPublicKey(key) : key;
}
