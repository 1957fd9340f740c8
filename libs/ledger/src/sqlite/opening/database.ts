import Database from 'better-sqlite3';
import { damaged, isDamage, refuseCutFile } from './damage.js';
import { migrate, refuseLaterSchema } from './migrate.js';

export interface DatabaseOptions {
  /** Path, or `:memory:`. */
  readonly file: string;
  /** Bound on the file, in bytes; beyond it the ledger is unavailable like on a full disk. */
  readonly maxBytes?: number;
}

/** How long a write waits for somebody else's transaction on the file before it is `unavailable`. */
const busyTimeoutMs = 500;

/** A checked and migrated database: WAL and synchronous FULL, so that a commit that returned survives power loss. */
export function openDatabase(options: DatabaseOptions): Database.Database {
  refuseCutFile(options.file);
  const database = new Database(options.file, { timeout: busyTimeoutMs });
  try {
    refuseLaterSchema(database);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    // What is erased (previews of arguments, kept results) is overwritten, not only marked as free.
    database.pragma('secure_delete = ON');
    checkIntegrity(database);
    if (options.maxBytes !== undefined) limitSize(database, options.maxBytes);
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw isDamage(error) ? damaged(options.file, error) : error;
  }
}

function checkIntegrity(database: Database.Database): void {
  const found = database.pragma('quick_check', { simple: true });
  if (found !== 'ok') throw damaged(database.name, found);
}

function limitSize(database: Database.Database, maxBytes: number): void {
  const pageBytes = Number(database.pragma('page_size', { simple: true }));
  database.pragma(`max_page_count = ${Math.max(1, Math.floor(maxBytes / pageBytes))}`);
}
