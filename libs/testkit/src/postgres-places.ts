import {
  findPostgres,
  startPostgres,
  type PostgresDatabase,
  type PostgresServer,
} from './postgres-server.js';

/** Is the Postgres half of a suite to be left out? Then it says so by name; `UAR_TEST_REQUIRE=postgres` makes that a failure. */
export function postgresMissing(suite: string): boolean {
  if (findPostgres() !== undefined) return false;
  const required = (process.env['UAR_TEST_REQUIRE'] ?? '').split(',').includes('postgres');
  if (required) throw new Error(`${suite}: postgres is required, but no Postgres was found`);
  console.warn(`NOT RUN: ${suite} over Postgres (none found)`);
  return true;
}

let server: Promise<PostgresServer> | undefined;

/** A new, empty database of the one server that all suites of this process share; it ends with the process. */
export async function sharedPostgresDatabase(): Promise<PostgresDatabase> {
  server ??= startPostgres();
  return (await server).createDatabase();
}
