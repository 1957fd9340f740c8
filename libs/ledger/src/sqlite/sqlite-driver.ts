import type Database from 'better-sqlite3';
import type { SqlDatabase, Statement } from '../sql/database.js';

/** A SQLite database as the operations see it: its own statements, so that nothing is between them and the file. */
export function sqliteDriver(database: Database.Database): SqlDatabase {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const savepoint = database.prepare('SAVEPOINT item');
  const release = database.prepare('RELEASE item');
  const statements = new Map<string, Database.Statement>();
  const statementOf = (sql: string): Database.Statement => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const table = database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?');
  return {
    dialect: 'sqlite',
    get inTransaction() {
      return database.inTransaction;
    },
    // Of the same form: better-sqlite3 says it in a type of its own.
    prepare: <Parameters, Row>(sql: string) =>
      statementOf(sql) as unknown as Statement<
        Parameters extends readonly unknown[] ? Parameters : [Parameters],
        Row
      >,
    hasTable: (name) => table.get(name) !== undefined,
    begin: () => void begin.run(),
    commit: () => void commit.run(),
    rollback: () => {
      if (database.inTransaction) database.exec('ROLLBACK');
    },
    savepoint: () => void savepoint.run(),
    release: () => void release.run(),
    rollbackToSavepoint: () => database.exec('ROLLBACK TO item; RELEASE item'),
    reading: (work) => database.transaction(work)(),
    close: () => database.close(),
  };
}
