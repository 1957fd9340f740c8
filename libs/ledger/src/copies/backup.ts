import { chmodSync, closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import Database from 'better-sqlite3';
import type { Verifications } from '../chain/verify-held.js';
import { LedgerError } from '../ledger-error.js';
import { heldChains } from '../operations/held-chains.js';
import { damaged, isDamage, refuseCutFile } from '../sqlite/opening/damage.js';
import { isMigrated, refuseLaterSchema } from '../sqlite/opening/migrate.js';
import { sqliteDriver } from '../sqlite/sqlite-driver.js';
import {
  checkPages,
  headsIn,
  refuseBroken,
  stampBackup,
  verifyBackup,
  type CopyProgress,
} from './ledger-copy.js';
import type { PostgresAccess } from '../postgres/engine.js';
import { putInPlace } from './place-file.js';
import { copiedByServer } from './server-copies.js';

export interface BackupOptions {
  readonly file: string;
  readonly headsFile: string;
  readonly publicKeys: readonly KeyObject[];
  /** Path of the copy. */
  readonly to: string;
  /** Whether a file at `to` may be replaced. */
  readonly replace: boolean;
  progress?(step: CopyProgress): void;
}

export interface Backup {
  readonly at: string;
  readonly bytes: number;
  readonly chains: Verifications;
}

const pagesAtOnce = 2_000;

/**
 * A verified copy of one moment of a ledger, in one file of its own (0600) that carries the signed heads of its chains, and
 * no previews of arguments. The ledger may be in use: its writers do not wait. The copy takes its name only when it is whole. Throws `LedgerError`, or
 * what the file system says; of a ledger in Postgres there is none here, and the error says how one is made. Then there is no copy, and a file that had the name is as it was.
 */
export async function backupLedger(options: BackupOptions | PostgresAccess): Promise<Backup> {
  if ('url' in options) throw copiedByServer('backed up');
  const { to, replace, progress } = options;
  if (!replace && existsSync(to)) throw new LedgerError('unavailable', `${to} exists already`);
  const draft = `${to}.${randomBytes(4).toString('hex')}.part`;
  closeSync(openSync(draft, 'wx', 0o600));
  try {
    await copyPages(options, draft);
    const at = new Date().toISOString();
    progress?.({ kind: 'verifying' });
    const chains = finish(draft, options, at);
    chmodSync(draft, 0o600);
    putInPlace(draft, to);
    return { at, bytes: statSync(to).size, chains };
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${suffix}`, { force: true });
  }
}

/** The read transaction holds one moment while pages are copied; without it each write of others would start the copy anew. */
async function copyPages({ file, progress }: BackupOptions, draft: string): Promise<void> {
  if (!existsSync(file)) throw new LedgerError('unavailable', `there is no ledger at ${file}`);
  refuseCutFile(file);
  const source = new Database(file, { readonly: true, fileMustExist: true });
  try {
    source.exec('BEGIN');
    if (!isMigrated(source)) throw new LedgerError('corrupt', `${file} is a database, but no ledger.`);
    refuseLaterSchema(source);
    await source.backup(draft, {
      progress: ({ totalPages, remainingPages }) => {
        progress?.({ kind: 'copied', done: totalPages - remainingPages, of: totalPages });
        return pagesAtOnce;
      },
    });
    source.exec('COMMIT');
  } catch (error) {
    throw isDamage(error) ? damaged(file, error) : error;
  } finally {
    source.close();
  }
}

function finish(draft: string, { file, headsFile, publicKeys }: BackupOptions, at: string): Verifications {
  const copy = new Database(draft);
  try {
    copy.pragma('journal_mode = DELETE');
    copy.pragma('synchronous = FULL');
    // What is erased here must not stay in free pages.
    copy.pragma('secure_delete = ON');
    checkPages(copy);
    erasePreviews(copy);
    const { lengths } = heldChains(sqliteDriver(copy));
    // Read after the copy was made, so that they cover it; what they say beyond it is not its business.
    const heads = headsIn(headsFile).filter(({ tenant, seq }) => seq <= (lengths.get(tenant) ?? 0));
    stampBackup(copy, heads, at);
    const chains = verifyBackup(copy, heads, publicKeys);
    refuseBroken(file, chains);
    return chains;
  } catch (error) {
    throw isDamage(error) ? damaged(file, error) : error;
  } finally {
    copy.close();
  }
}

/** Only approvals that are open need one, and a restore ends those. Before schema 8 they are in the approvals. */
function erasePreviews(copy: Database.Database): void {
  const table = copy.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'approval_previews'`);
  if (table.get() !== undefined) copy.exec('DELETE FROM approval_previews');
  else copy.exec(`UPDATE approvals SET draft = json_set(draft, '$.arguments_preview', '')`);
}
