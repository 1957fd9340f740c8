import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresMissing } from './postgres-places.js';
import { startPostgres, type PostgresDatabase, type PostgresServer } from './postgres-server.js';

describe.skipIf(postgresMissing('the Postgres of the tests'))('the Postgres of the tests', () => {
  let server: PostgresServer;
  let database: PostgresDatabase;
  beforeAll(async () => {
    server = await startPostgres();
    database = await server.createDatabase();
  });
  afterAll(() => server.stop());

  async function query(text: string, { url, password } = database): Promise<unknown[]> {
    const place = Object.assign(new URL(url), { password });
    const client = new Client({ connectionString: place.href });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  it('gives an empty database for each that is asked for, and wants the password', async () => {
    await query('CREATE TABLE here (n int)');
    await expect(query('SELECT * FROM here', await server.createDatabase())).rejects.toMatchObject({
      code: '42P01',
    });
    await expect(query('SELECT 1', { ...database, password: 'wrong' })).rejects.toMatchObject({
      code: '28P01',
    });
  });

  it('keeps what was committed when it is killed, and takes other settings at a restart', async () => {
    await query('CREATE TABLE kept AS SELECT 7 AS n');
    await server.kill();
    await expect(query('SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await server.restart({ work_mem: '5MB' });
    expect(await query('SELECT n FROM kept')).toEqual([{ n: 7 }]);
    expect(await query('SHOW work_mem')).toEqual([{ work_mem: '5MB' }]);
  });

  it('answers nobody while it is frozen', async () => {
    server.freeze();
    const answer = query('SELECT 1 AS n');
    const soon = new Promise((resolve) => setTimeout(() => resolve('nothing yet'), 300));
    expect(await Promise.race([answer, soon])).toBe('nothing yet');
    server.thaw();
    expect(await answer).toEqual([{ n: 1 }]);
  });

  it('leaves nothing behind', async () => {
    const folders = () => new Set(readdirSync(tmpdir()).filter((name) => name.startsWith('uar-postgres-')));
    const before = folders();
    const other = await startPostgres();
    const [folder] = [...folders()].filter((name) => !before.has(name));
    await other.stop();
    expect(existsSync(`${tmpdir()}/${folder}`)).toBe(false);
  });
});
