import { sharedPostgresDatabase } from '@uar/testkit';
import { expect, it } from 'vitest';
import { openLedger } from '../../open-ledger.js';
import { openDatabase } from '../../sqlite/opening/database.js';
import { optionsIn, query, withPostgres } from './postgres.fixture.js';

interface Column {
  readonly table_name: string;
  readonly column_name: string;
}

/** What only one of them needs: places of rows have no name in SQLite. */
const ofPostgres = [
  'signed_heads.line',
  'signed_heads.seq',
  'signed_heads.tenant',
  'votes.rowid',
  'event_groups.rowid',
];

withPostgres('the schema in Postgres', () => {
  it('is that of SQLite: the same version, tables and columns', async () => {
    const database = await sharedPostgresDatabase();
    await (await openLedger(optionsIn(database))).close();
    const file = openDatabase({ file: ':memory:' });
    const version = 'SELECT max(version) AS version FROM schema_migrations';
    const [found] = await query(database, version);
    expect(Number(found?.['version'])).toBe(file.prepare<[], { version: number }>(version).get()?.version);

    const inFile = file
      .prepare<[], Column>(
        `SELECT tables.name AS table_name, columns.name AS column_name
         FROM sqlite_master AS tables, pragma_table_xinfo(tables.name) AS columns
         WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`,
      )
      .all()
      .map(({ table_name, column_name }) => `${table_name}.${column_name}`);
    const inServer = await query(
      database,
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = current_schema()`,
    );
    file.close();
    expect(inServer.map(({ name }) => String(name)).sort()).toEqual([...inFile, ...ofPostgres].sort());
  });

  it('orders texts by their bytes, whatever the order of the database is', async () => {
    const database = await sharedPostgresDatabase();
    await (await openLedger(optionsIn(database))).close();
    const others = await query(
      database,
      `SELECT table_name, column_name FROM information_schema.columns
       WHERE table_schema = current_schema() AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'
         AND table_name <> 'schema_migrations'`,
    );
    expect(others).toEqual([]);
  });
});
