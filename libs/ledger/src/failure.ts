import { SqliteError } from 'better-sqlite3';
import { LedgerError } from './ledger-error.js';

/** Result codes that speak of the disk, the file or its locks, not of the statement (sqlite.org/rescode.html). */
const ofTheWorld = [
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_READONLY',
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_CANTOPEN',
  'SQLITE_PERM',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_NOMEM',
  'SQLITE_PROTOCOL',
  'SQLITE_TOOBIG',
];

/** Name of the error as SQLite or the file system says it, e.g. `SQLITE_FULL`, `ENOSPC`. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof SqliteError) return error.code;
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return undefined;
}

/** The ledger cannot be written or read now; a bug of ours is not that. */
export function asUnavailable(error: unknown): LedgerError | undefined {
  if (error instanceof LedgerError) return error;
  const code = codeOf(error);
  if (code === undefined || !(error instanceof Error)) return undefined;
  const isOfTheWorld =
    error instanceof SqliteError
      ? ofTheWorld.some((prefix) => code.startsWith(prefix))
      : /^E[A-Z]+$/.test(code);
  if (!isOfTheWorld) return undefined;
  return new LedgerError('unavailable', `the ledger is not available: ${error.message} (${code})`, {
    cause: error,
  });
}
