import type Database from 'better-sqlite3';
import { LedgerError } from '../../ledger-error.js';
import { migrations, type Migration } from './migrations.js';

/** Throws `too_new` for a file of a later version; changes nothing. */
export function refuseLaterSchema(database: Database.Database): void {
  const known = migrations.at(-1)?.version ?? 0;
  const found = isMigrated(database) ? schemaVersion(database) : 0;
  if (found <= known) return;
  const wayOut = 'Start the version that wrote it, or restore a backup that this version can read';
  throw new LedgerError(
    'too_new',
    `${database.name} has schema ${found}, this version knows ${known}. ${wayOut}.`,
  );
}

/** Whether it was ever opened as a ledger. */
export function isMigrated(database: Database.Database): boolean {
  const tables = database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'`);
  return tables.get() !== undefined;
}

/** Brings the schema up to date, one transaction per step. */
export function migrate(database: Database.Database): void {
  database.exec(
    'CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)',
  );
  const found = schemaVersion(database);
  for (const migration of migrations.filter(({ version }) => version > found)) apply(database, migration);
}

function schemaVersion(database: Database.Database): number {
  const row = database
    .prepare<[], { version: number | null }>('SELECT max(version) AS version FROM schema_migrations')
    .get();
  return row?.version ?? 0;
}

function apply(database: Database.Database, { version, name, sql }: Migration): void {
  database.transaction(() => {
    database.exec(sql);
    database
      .prepare('INSERT INTO schema_migrations VALUES (?, ?, ?)')
      .run(version, name, new Date().toISOString());
  })();
}
