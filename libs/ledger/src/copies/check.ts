import { createPublicKey, type KeyObject } from 'node:crypto';
import { KnownHeads } from '../chain/known-heads.js';
import { verifyHeldChains, type Verifications } from '../chain/verify-held.js';
import { sqliteDriver } from '../sqlite/sqlite-driver.js';
import { heldChains } from '../operations/held-chains.js';
import { checkPages, stampOf, verifyBackup, withLedger, type CopyProgress } from './ledger-copy.js';

export interface LedgerCheck {
  /** When the file was made, if it is a backup. */
  readonly backupAt?: string;
  readonly chains: Verifications;
}

/**
 * Pages, indexes and chains of a ledger file, in use or not, against its heads file; a backup against the heads it carries.
 * Throws `LedgerError` for a file that is no sound ledger; a broken chain is an answer.
 */
export function checkLedger(options: {
  readonly file: string;
  readonly headsFile: string;
  readonly publicKeys: readonly KeyObject[];
  progress?(step: CopyProgress): void;
}): LedgerCheck {
  return withLedger(options.file, (database) => {
    checkPages(database);
    options.progress?.({ kind: 'verifying' });
    const publicKeys = options.publicKeys.map((key) => (key.type === 'private' ? createPublicKey(key) : key));
    const stamp = stampOf(database);
    if (stamp) return { backupAt: stamp.at, chains: verifyBackup(database, stamp.heads, publicKeys) };
    const sql = sqliteDriver(database);
    const held = heldChains(sql);
    const heads = new KnownHeads({ headsFile: options.headsFile, publicKeys }, held.headLines);
    return { chains: verifyHeldChains(sql, { heads, publicKeys, lengths: held.lengths }) };
  });
}
