import type { SqlDatabase } from './database.js';

/** A table with one row for each text of the JSON array `@name`, in its column `value`. */
export function membersOf(database: SqlDatabase, name: string): string {
  return database.dialect === 'sqlite'
    ? `json_each(@${name})`
    : `json_array_elements_text(CAST(@${name} AS json))`;
}
