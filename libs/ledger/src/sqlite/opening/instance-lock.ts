import Database from 'better-sqlite3';
import { LedgerError } from '../../ledger-error.js';
import { codeOf } from '../../failure.js';

/**
 * One process per ledger file. The lock is an open write transaction on `<file>.lock`, a SQLite database of its own: the
 * operating system drops it with the process, however that ends, so it cannot go stale. Others can still read who holds it.
 */
export interface InstanceLock {
  release(): void;
}

/** Throws `locked`, naming the file and the holder's pid. */
export function takeLock(file: string): InstanceLock {
  const lock = new Database(`${file}.lock`, { timeout: 0 });
  try {
    lock.pragma('journal_mode = DELETE');
    begin(lock);
    lock.exec(`
      CREATE TABLE IF NOT EXISTS holder (id INTEGER PRIMARY KEY CHECK (id = 1), pid INTEGER NOT NULL, since TEXT NOT NULL);
      DELETE FROM holder`);
    lock.prepare('INSERT INTO holder VALUES (1, ?, ?)').run(process.pid, new Date().toISOString());
    lock.exec('COMMIT');
    // Between the two transactions another process may win: then this one is refused, and the other named.
    begin(lock);
  } catch (error) {
    const holder = isBusy(error) ? readHolder(lock) : undefined;
    lock.close();
    if (!isBusy(error)) throw error;
    throw new LedgerError('locked', `${file} is in use by ${holder ?? 'another process'}`, { cause: error });
  }
  return {
    release() {
      lock.exec('ROLLBACK');
      lock.close();
    },
  };
}

function begin(lock: Database.Database): void {
  lock.exec('BEGIN IMMEDIATE');
}

function isBusy(error: unknown): boolean {
  return codeOf(error)?.startsWith('SQLITE_BUSY') === true;
}

function readHolder(lock: Database.Database): string | undefined {
  try {
    const row = lock.prepare<[], { pid: number; since: string }>('SELECT pid, since FROM holder').get();
    return row && `process ${row.pid} since ${row.since}`;
  } catch {
    return undefined;
  }
}
