import { existsSync } from 'node:fs';
import type { KeyObject } from 'node:crypto';
import Database from 'better-sqlite3';
import { KnownHeads, parseHead } from '../chain/known-heads.js';
import { readLines } from '../chain/lines.js';
import type { SignedHead } from '../chain/signed-head.js';
import { verifyHeldChains, type Verifications } from '../chain/verify-held.js';
import { sqliteDriver } from '../sqlite/sqlite-driver.js';
import { LedgerError } from '../ledger-error.js';
import { heldChains } from '../operations/held-chains.js';
import { damaged, isDamage, refuseCutFile } from '../sqlite/opening/damage.js';
import { isMigrated, refuseLaterSchema } from '../sqlite/opening/migrate.js';

/** Some work that may take long: `done` of `of` pages copied, or the chains being walked. */
export type CopyProgress =
  { readonly kind: 'copied'; readonly done: number; readonly of: number } | { readonly kind: 'verifying' };

/** Opens what has to be a ledger, without changing it; throws `LedgerError` naming file and way out. `use` gets it, then it is closed. */
export function withLedger<T>(file: string, use: (database: Database.Database) => T): T {
  if (!existsSync(file)) throw new LedgerError('unavailable', `there is no ledger at ${file}`);
  refuseCutFile(file);
  const database = new Database(file, { readonly: true, fileMustExist: true });
  try {
    if (!isMigrated(database)) throw new LedgerError('corrupt', `${file} is a database, but no ledger.`);
    refuseLaterSchema(database);
    return use(database);
  } catch (error) {
    throw isDamage(error) ? damaged(file, error) : error;
  } finally {
    database.close();
  }
}

/** Throws `corrupt` unless every page and index is in order. */
export function checkPages(database: Database.Database): void {
  const found = database.pragma('integrity_check(3)');
  const rows = Array.isArray(found) ? found : [found];
  const texts = rows.map((row: { integrity_check?: unknown }) => String(row.integrity_check));
  if (texts.join() !== 'ok') throw damaged(database.name, texts.join('; '));
}

/** A backup carries the signed heads of its chains and when it was made. */
export function stampBackup(database: Database.Database, heads: readonly SignedHead[], at: string): void {
  database.exec(`
    DROP TABLE IF EXISTS backup; DROP TABLE IF EXISTS backup_heads;
    CREATE TABLE backup (id INTEGER PRIMARY KEY CHECK (id = 1), at TEXT NOT NULL) STRICT;
    CREATE TABLE backup_heads (line TEXT NOT NULL) STRICT`);
  database.prepare('INSERT INTO backup VALUES (1, ?)').run(at);
  const insert = database.prepare('INSERT INTO backup_heads VALUES (?)');
  for (const head of heads) insert.run(JSON.stringify(head));
  database.prepare('UPDATE heads_written SET lines = ?').run(heads.length);
}

export function unstampBackup(database: Database.Database): void {
  database.exec('DROP TABLE backup; DROP TABLE backup_heads');
}

/** Undefined for a ledger that is no backup. Throws `corrupt` when a head in it is none. */
export function stampOf(
  database: Database.Database,
): { readonly at: string; readonly heads: readonly SignedHead[] } | undefined {
  const tables = database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'backup'`);
  if (tables.get() === undefined) return undefined;
  const at = database.prepare<[], { at: string }>('SELECT at FROM backup').get()?.at ?? '';
  const lines = database.prepare<[], { line: string }>('SELECT line FROM backup_heads ORDER BY rowid').all();
  const heads = lines.map(({ line }) => {
    const head = parseHead(line);
    if (!head) throw damaged(database.name, 'a line among its heads is no signed head');
    return head;
  });
  return { at, heads };
}

/** Every chain of a backup against the heads it carries. */
export function verifyBackup(
  database: Database.Database,
  heads: readonly SignedHead[],
  publicKeys: readonly KeyObject[],
): Verifications {
  const sql = sqliteDriver(database);
  const { lengths } = heldChains(sql);
  return verifyHeldChains(sql, {
    heads: new KnownHeads({ witnessed: heads, publicKeys }),
    publicKeys,
    lengths,
  });
}

/** Throws `corrupt` naming the first chain that does not hold. */
export function refuseBroken(file: string, chains: Verifications): void {
  for (const [tenant, { ok, broken_at, problem }] of chains) {
    if (ok) continue;
    const place = broken_at === undefined ? '' : ` at receipt ${broken_at}`;
    throw new LedgerError(
      'corrupt',
      `${file}: the chain of tenant ${tenant} is broken${place}: ${problem ?? 'it does not hold'}`,
    );
  }
}

/** The signed heads in a file, in order; lines that are none are left out. */
export function headsIn(path: string): readonly SignedHead[] {
  if (!existsSync(path)) return [];
  return [...readLines(path)].flatMap(({ text, whole }) => (whole ? (parseHead(text) ?? []) : []));
}
