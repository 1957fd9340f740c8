import { LedgerError } from '../../ledger-error.js';
import type { PostgresDatabase } from '../postgres-database.js';

const needed = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** Throws for a user that may not do what a ledger does, before a call depends on it. */
export function checkRights(database: PostgresDatabase): void {
  const missing = database
    .prepare<[string], { name: string; privilege: string }>(
      `SELECT relname AS name, privilege FROM pg_class, json_array_elements_text(CAST(? AS json)) AS privilege
       WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind = 'r'
         AND NOT has_table_privilege(pg_class.oid, privilege)
       ORDER BY relname LIMIT 1`,
    )
    .get(JSON.stringify(needed));
  if (missing === undefined) return;
  const wayOut = `GRANT ${needed.join(', ')} ON ALL TABLES IN SCHEMA to it`;
  throw new LedgerError(
    'unavailable',
    `the user of the ledger at ${database.name} lacks a right: ${missing.privilege} in ${missing.name}. ${wayOut}.`,
  );
}
