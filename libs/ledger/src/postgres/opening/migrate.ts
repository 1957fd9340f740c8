import { LedgerError } from '../../ledger-error.js';
import { PostgresError } from '../failure.js';
import type { PostgresDatabase } from '../postgres-database.js';
import { migrations, type Migration } from './schema.js';

const existsAlready = ['42P07', '42723', '42710'];

/** Throws `too_new` for a ledger of a later version; changes nothing. */
export function refuseLaterSchema(database: PostgresDatabase): void {
  const known = migrations.at(-1)?.version ?? 0;
  const found = isMigrated(database) ? schemaVersion(database) : 0;
  if (found <= known) return;
  const wayOut = 'Start the version that wrote it, or restore a dump that this version can read';
  throw new LedgerError(
    'too_new',
    `the ledger at ${database.name} has schema ${found}, this version knows ${known}. ${wayOut}.`,
  );
}

/** Throws for what is not, or not yet, a ledger that this version can read. */
export function refuseNoLedger(database: PostgresDatabase): void {
  refuseLaterSchema(database);
  const known = migrations.at(-1)?.version ?? 0;
  if (isMigrated(database) && schemaVersion(database) === known) return;
  throw new LedgerError('corrupt', `there is no ledger of this version at ${database.name}.`);
}

/** Whether it was ever opened as a ledger. */
function isMigrated(database: PostgresDatabase): boolean {
  return database.hasTable('schema_migrations');
}

/** Brings the schema up to date, one transaction per step; replicas that start together take turns. */
export function migrate(database: PostgresDatabase): void {
  try {
    for (const migration of migrations) apply(database, migration);
  } catch (error) {
    throw refusedMigration(error, database.name) ?? error;
  }
}

function apply(database: PostgresDatabase, { version, name, sql }: Migration): void {
  if (isMigrated(database) && schemaVersion(database) >= version) return;
  database.begin();
  try {
    // Asked again: whoever had its turn before may have done it.
    if (!isMigrated(database))
      database.exec(
        'CREATE TABLE schema_migrations (version bigint PRIMARY KEY, name text NOT NULL, applied_at text NOT NULL)',
      );
    if (schemaVersion(database) < version) {
      database.exec(sql.replaceAll(/\bTEXT\b/g, 'text COLLATE "C"'));
      database
        .prepare<[number, string, string]>('INSERT INTO schema_migrations VALUES (?, ?, ?)')
        .run(version, name, new Date().toISOString());
    }
    database.commit();
  } catch (error) {
    database.rollback();
    throw error;
  }
}

function schemaVersion(database: PostgresDatabase): number {
  const row = database
    .prepare<[], { version: number | null }>('SELECT max(version) AS version FROM schema_migrations')
    .get();
  return row?.version ?? 0;
}

function refusedMigration(error: unknown, where: string): LedgerError | undefined {
  if (!(error instanceof PostgresError) || !existsAlready.includes(error.code)) return undefined;
  const wayOut = 'Give the ledger a schema of its own (search_path in its URL)';
  return new LedgerError(
    'corrupt',
    `there are tables at ${where} that are no ledger: ${error.message}. ${wayOut}.`,
  );
}
